import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { argumentReader } from '../../src/activities/tools/arguments.ts';
import type { ParameterSchema, ToolSpec } from '../../src/protocol/message.ts';
import type { Finish, ReplyCall } from '../../src/protocol/model-call.ts';
import { askingTools } from '../../src/workflows/ask-others/prompts.ts';
import { coordinationTools, decisionTools } from '../../src/workflows/orchestration/tools.ts';
import { analysisTool, finishTool, subtasksTool, validationTool } from '../../src/workflows/plan-and-execute/tools.ts';
import { criticismTool, planTool, reportTool } from '../../src/workflows/research/prompts.ts';

type Properties = ParameterSchema['properties'];

const toolOf = (properties: Properties, required = Object.keys(properties)): ToolSpec => ({
  name: 'use',
  description: 'Use.',
  parameters: { type: 'object', properties, required },
});

function read(
  spec: ToolSpec,
  text: string,
  finish: Finish = 'tool_calls',
): ReplyCall & { written?: string | undefined } {
  const { reply, arguments: written } = argumentReader([spec])({ id: 'c', name: spec.name, arguments: text }, finish);
  return { ...reply, written };
}

const text = { type: 'string' };
const texts = { type: 'array', items: text };
const vote = coordinationTools(['agent1', 'agent2'])[1]!;

describe('arguments are coerced before they are refused', () => {
  test.each<[string, Properties, string, object]>([
    ['a number for a text', { id: text }, '{"id": 7}', { id: '7' }],
    ['a text for a number', { score: { type: 'number' } }, '{"score": " 80 "}', { score: 80 }],
    ['a text for a whole number', { pages: { type: 'integer' } }, '{"pages": "12"}', { pages: 12 }],
    ['a text for a boolean', { done: { type: 'boolean' } }, '{"done": "True"}', { done: true }],
    ['a JSON text for a list', { of: texts }, '{"of": "[\\"a\\", \\"b\\"]"}', { of: ['a', 'b'] }],
    ['a list in single quotes', { of: texts }, `{"of": "['a', 'b']"}`, { of: ['a', 'b'] }],
    ['one value for a list', { of: texts }, '{"of": 7}', { of: ['7'] }],
    ['a text for a list of texts', { of: texts }, '{"of": "a, b"}', { of: ['a, b'] }],
    [
      'one object for a list',
      { of: { type: 'array', items: { type: 'object' } } },
      '{"of": {"a": 1}}',
      { of: [{ a: 1 }] },
    ],
    ['null for a needed list', { of: texts }, '{"of": null}', { of: [] }],
    [
      'null for a list within a list',
      { of: { type: 'array', items: texts } },
      '{"of": [null, ["a"]]}',
      { of: [[], ['a']] },
    ],
    ['null for a text or a list', { of: { anyOf: [text, { type: 'array' }] } }, '{"of": null}', { of: [] }],
    ['a JSON text for an object', { of: { type: 'object' } }, '{"of": "{\\"a\\": 1}"}', { of: { a: 1 } }],
    ['a choice in other letters', { kind: { enum: ['low', 'high'] } }, '{"kind": " HIGH "}', { kind: 'high' }],
    ['a text for a number among choices', { kind: { enum: [1, 2] } }, '{"kind": "2"}', { kind: 2 }],
    ['one of several types', { of: { anyOf: [{ type: 'number' }, { type: 'null' }] } }, '{"of": "4"}', { of: 4 }],
    ['what a reference names', { of: { $ref: '#/$defs/count' } }, '{"of": "4"}', { of: 4 }],
    ['a fenced block', { id: text }, 'Here it is:\n```json\n{"id": "a"}\n```\nDone.', { id: 'a' }],
    ['a comma too many', { id: text }, '{"id": "a",}', { id: 'a' }],
    ['a comma too many behind a text with a bracket', { of: texts }, '{"of": ["a", "b["],}', { of: ['a', 'b['] }],
    ['single quotes', { id: text }, "{'id': 'a'}", { id: 'a' }],
    ['a missing end', { id: text, of: texts }, '{"id": "a", "of": ["b"', { id: 'a', of: ['b'] }],
    ['one more level', { id: text }, '{"arguments": {"id": "a"}}', { id: 'a' }],
    ['one more level, as a text', { id: text }, '{"input": "{\\"id\\": 7}"}', { id: '7' }],
    ['the tool as a level', { id: text }, '{"use": {"id": "a"}}', { id: 'a' }],
    ['a JSON text of the JSON text', { id: text }, JSON.stringify('{"id": "a"}'), { id: 'a' }],
    ['twice', { id: text }, JSON.stringify(JSON.stringify({ id: 'a' })), { id: 'a' }],
  ])('%s', (_, properties, written, input) => {
    const spec = toolOf(properties);
    const parameters = { ...spec.parameters, $defs: { count: { type: 'integer' } } };
    const result = read({ ...spec, parameters }, written);
    expect(result).toMatchObject({ input });
    expect(JSON.parse(result.written ?? '')).toEqual(input);
  });

  test('null for a key that may be absent is left out, and stays where null may stand', () => {
    const spec = toolOf({ id: text, note: text, limit: { type: ['number', 'null'] } }, ['id']);
    expect(read(spec, '{"id": "a", "note": null, "limit": null}')).toMatchObject({ input: { id: 'a', limit: null } });
  });

  test('null for a list that may be absent is left out, since without it something may hold for all', () => {
    const spec = toolOf({ id: text, of: texts }, ['id']);
    expect(read(spec, '{"id": "a", "of": null}')).toEqual({
      id: 'c',
      name: 'use',
      input: { id: 'a' },
      written: '{"id":"a"}',
    });
  });

  test('an answer from which nothing is missing is validated, however a model says so', () => {
    const written = '{"is_complete": true, "missing_requirements": null, "quality": "high"}';
    expect(read(validationTool, written)).toMatchObject({ input: { missing_requirements: [] } });
  });

  test('a parameter may itself be called like a wrapping', () => {
    expect(read(toolOf({ input: { type: 'object' } }), '{"input": {"input": {}}}')).toMatchObject({
      input: { input: { input: {} } },
    });
  });

  test('no arguments are an empty object', () => {
    expect(read(toolOf({}), ' ')).toMatchObject({ input: {}, written: undefined });
  });
});

describe('what is missing or means something else is refused, in words that name the key', () => {
  test.each<[string, string, string]>([
    ['a missing key', '{"agent_id": "agent1"}', 'do not fit: reason: it is missing, and must be a text'],
    ['null for a needed text', '{"agent_id": "agent1", "reason": null}', 'reason: it must be a text, and not null'],
    [
      'none of the choices',
      '{"agent_id": "agent9", "reason": "r"}',
      'agent_id: it must be one of "agent1", "agent2", and not "agent9"',
    ],
    ['a list for the whole', '[1]', 'arguments: it must be an object, and not [1]'],
    ['prose', 'I vote for agent1.', 'the arguments of vote are not valid JSON: '],
    ['the middle is missing', '{"agent_id": "agent1", "reason": ', 'the arguments of vote are not valid JSON: '],
  ])('%s', (_, written, error) => {
    expect(read(vote, written)).toMatchObject({ error: expect.stringContaining(error) as string });
  });

  test.each<[string, Properties, string, string]>([
    ['a text that is no number', { n: { type: 'number' } }, '{"n": "many"}', 'n: it must be a number, and not "many"'],
    ['a fraction', { n: { type: 'integer' } }, '{"n": 1.5}', 'n: it must be a whole number, and not 1.5'],
    ['too large', { n: { type: 'number', maximum: 100 } }, '{"n": "101"}', 'n: it must be at most 100, and not 101'],
    ['an empty text', { t: { type: 'string', minLength: 1 } }, '{"t": ""}', 't: it must be at least 1 characters long'],
    [
      'null for a list of at least one',
      { of: { type: 'array', items: text, minItems: 1 } },
      '{"of": null}',
      'of: it must be at least 1 items long, and not []',
    ],
    ['within a list', { of: texts }, '{"of": ["a", {}]}', 'of.1: it must be a text, and not {}'],
  ])('%s', (_, properties, written, error) => {
    expect(read(toolOf(properties), written)).toMatchObject({ error: expect.stringContaining(error) as string });
  });

  test('with a digest that is the same for the same arguments, so that the same call is known again', () => {
    const [one, same, other] = ['{"agent_id": "a"}', '{"agent_id": "a"}', '{"agent_id": "b"}'].map((text) =>
      read(vote, text),
    );
    expect(one).toEqual(same);
    expect(other).not.toEqual(one);
    expect(other).toMatchObject({ digest: expect.stringMatching(/^[\w-]{12}$/) as string });
  });

  test('a call that was cut off is not repaired: the model is told so, and to be shorter', () => {
    const cut = '{"agent_id": "agent1", "reason": "It is the';
    expect(read(vote, cut)).toMatchObject({ input: { reason: 'It is the' } });
    expect(read(vote, cut, 'length')).toMatchObject({
      error: expect.stringMatching(/was cut off.*be shorter$/) as string,
    });
  });

  test('a call that was cut off before its arguments is not made without any', () => {
    const any = { name: 'list', description: '', parameters: { type: 'object' as const, properties: {} } };
    expect(read(any, '', 'length')).toMatchObject({ error: expect.stringMatching(/was cut off/) as string });
    expect(read(any, '')).toMatchObject({ input: {} });
  });

  test('a call that was complete before the reply was cut off is taken', () => {
    expect(read(vote, '{"agent_id": "agent1", "reason": "r"}', 'length')).toMatchObject({ input: { reason: 'r' } });
  });

  test('what is too long to be repaired without holding up the worker is refused', () => {
    const written = (length: number): string => `{'agent_id': 'agent1', 'reason': '${'r'.repeat(length)}'}`;
    expect(read(vote, written(19_000))).toMatchObject({ input: { agent_id: 'agent1' } });
    expect(read(vote, written(20_000))).toMatchObject({ error: expect.stringContaining('not valid JSON') as string });
  });
});

const tools: ToolSpec[] = [
  ...coordinationTools(['agent1', 'agent2', 'agent3']),
  ...decisionTools({ compares: false, plans: false }),
  ...askingTools('agents'),
  analysisTool,
  subtasksTool,
  finishTool,
  validationTool,
  planTool,
  criticismTool(['novelty', 'feasibility']),
  reportTool,
];

/** Any text that could not be meant as something else. */
const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((inner) => `w${inner}`);

/** Any value that fits one of these tools' schemas, with some of the keys that may be absent. */
function valid(schema: Record<string, unknown>): fc.Arbitrary<unknown> {
  const {
    enum: choices,
    items,
    maxItems = 5,
    minItems = 0,
    minimum = 0,
    maximum = 100,
    properties = {},
    type,
  } = schema;
  if (Array.isArray(choices)) return fc.constantFrom(...(choices as unknown[]));
  if (type === 'string') return word;
  if (type === 'boolean') return fc.boolean();
  if (type === 'number') return fc.integer({ min: minimum as number, max: maximum as number });
  if (type === 'array') {
    const lengths = { minLength: minItems as number, maxLength: Math.min(5, maxItems as number) };
    return fc.array(valid(items as Record<string, unknown>), lengths);
  }
  const entries = Object.entries(properties as Record<string, Record<string, unknown>>);
  return fc.record(Object.fromEntries(entries.map(([key, each]) => [key, valid(each)])), {
    requiredKeys: schema['required'] as string[],
  });
}

/** The same as a weak model might write it. */
function mutated(value: unknown, schema: Record<string, unknown>, dice: () => boolean): unknown {
  const { enum: choices, items, properties = {}, required = [] } = schema;
  if (Array.isArray(choices)) return dice() ? ` ${String(value).toUpperCase()}` : value;
  if (typeof value === 'number' || typeof value === 'boolean') return dice() ? String(value) : value;
  if (Array.isArray(value)) {
    const inner = value.map((item) => mutated(item, items as Record<string, unknown>, dice));
    if (inner.length === 1 && typeof value[0] === 'string' && dice()) return inner[0];
    return dice() ? JSON.stringify(inner) : inner;
  }
  if (typeof value !== 'object' || value === null) return value;
  const known = properties as Record<string, Record<string, unknown>>;
  const isNeeded = (key: string): boolean => (required as string[]).includes(key);
  const entries = Object.entries(value).map(([key, each]) => {
    const isEmptyList = Array.isArray(each) && each.length === 0;
    return [key, isEmptyList && isNeeded(key) && dice() ? null : mutated(each, known[key] ?? {}, dice)];
  });
  const absent = Object.keys(known).filter((key) => !(key in value) && !isNeeded(key) && dice());
  return Object.fromEntries([...entries, ...absent.map((key) => [key, null])]);
}

const wrapped: Array<(json: string, name: string) => string> = [
  (json) => json,
  (json) => `\`\`\`json\n${json}\n\`\`\``,
  (json) => JSON.stringify(json),
  (json) => `{"arguments": ${json}}`,
  (json) => `{"input": ${JSON.stringify(json)}}`,
  (json, name) => `{"${name}": ${json}}`,
  (json) => json.replace(/\}$/, ',}'),
  (json) => json.replace(/\}$/, ''),
];

describe.each(tools.map((tool) => [tool.name, tool] as const))('any arguments of %s', (name, tool) => {
  const schema = { ...tool.parameters };

  test('that fit come as they are', () => {
    fc.assert(
      fc.property(valid(schema), (input) => {
        expect(read(tool, JSON.stringify(input))).toEqual({ id: 'c', name, input, written: undefined });
      }),
      { numRuns: 50 },
    );
  });

  test('that a weak model writes come as the same', () => {
    fc.assert(
      fc.property(valid(schema), fc.infiniteStream(fc.boolean()), fc.constantFrom(...wrapped), (input, rolls, wrap) => {
        const written = mutated(input, schema, () => rolls.next().value === true);
        expect(read(tool, wrap(JSON.stringify(written), name))).toMatchObject({ input });
      }),
      { numRuns: 100 },
    );
  });
});

test('a schema that takes for ever, which a server of tools may bring, ends in an error for the agent', () => {
  const spec = toolOf({ a: { type: 'string', pattern: '^(a+)+$' } });
  expect(read(spec, `{"a": "${'a'.repeat(99)}!"}`)).toMatchObject({ error: expect.stringMatching(/takes too long/) });
  expect(read(spec, '{"a": "aaa"}')).toMatchObject({ input: { a: 'aaa' } });
});

describe('a tool under a name that can only mean it', () => {
  const spec = (name: string): ToolSpec => ({ name, description: '', parameters: { type: 'object', properties: {} } });
  const read = argumentReader(['view_file', 'tickets_get_page', 'get_page', 'getPage'].map(spec));
  const called = (name: string) => read({ id: 'c', name, arguments: '{}' }, 'tool_calls');

  test.each([
    ['functions.view_file', 'view_file'],
    ['View_File', 'view_file'],
    ['viewFile', 'view_file'],
    ['view-file', 'view_file'],
    ['functions.view_file:0', 'view_file'],
    ['default_api:viewFile', 'view_file'],
    ['workspace/view_file', 'view_file'],
    ['mcp__files__view_file', 'view_file'],
    ['tickets.get_page', 'tickets_get_page'],
    ['get_page', 'get_page'],
  ])('is taken: %s', (name, meant) => {
    const { name: sent = name, reply } = called(name);
    expect([sent, reply]).toEqual([meant, { id: 'c', name: meant, input: {} }]);
  });

  test.each([['functions.GET_PAGE'], ['look'], ['.'], ['view file of mine'], ['x'.repeat(500)]])(
    'is refused where it may mean several or none, and sent on as providers take it: %s',
    (name) => {
      const { name: sent, reply } = called(name);
      expect(reply).toMatchObject({ name, error: expect.stringMatching(/^No such tool available/) });
      expect(sent).toMatch(/^[\w-]{1,64}$/);
    },
  );
});
