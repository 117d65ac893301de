import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ParameterSchema } from '../../src/protocol/message.ts';
import { plainSchema } from '../../src/models/plain-schema.ts';
import { acceptedTool } from '../../src/models/tool-schema.ts';
import { anthropicSchemaProblem, googleSchemaProblem, openaiSchemaProblem } from '../support/rules/tool-schemas.ts';

const accepted = (parameters: object) =>
  acceptedTool({ name: 'a', description: 'Does.', parameters: parameters as ParameterSchema });
const text = { type: 'string' };

describe('a tool is sent with a schema that OpenAI and Anthropic take', () => {
  test.each<[string, object, object, string?]>([
    [
      'a plain one stays as it is',
      { properties: { a: text }, required: ['a'] },
      { properties: { a: text }, required: ['a'] },
    ],
    [
      'a list says of what it is one',
      { properties: { a: { type: 'array' } } },
      { properties: { a: { type: 'array', items: {} } } },
    ],
    [
      'a tuple of an older draft',
      { properties: { a: { type: 'array', items: [text, { type: 'number' }] } } },
      { properties: { a: { type: 'array', prefixItems: [text, { type: 'number' }], items: {} } } },
    ],
    [
      'what is no schema, and what its keyword may not hold, is left out',
      { properties: { a: { type: 'any', minimum: '1', exclusiveMinimum: true, pattern: '(' }, type: 'object' } },
      { properties: { a: {} } },
    ],
    [
      'properties of which one is needed',
      { properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
      { properties: { a: text, b: text }, required: [] },
      'Give a, or b.',
    ],
    [
      'whole choices side by side',
      {
        anyOf: [
          { type: 'object', properties: { content: text, to: text }, required: ['content', 'to'] },
          { type: 'object', properties: { url: text, to: text }, required: ['url', 'to'] },
        ],
      },
      { properties: { content: text, to: text, url: text }, required: ['to'] },
      'Give content, or url.',
    ],
    [
      'choices by what they do, behind references',
      {
        oneOf: [{ $ref: '#/$defs/open' }, { $ref: '#/$defs/close' }],
        $defs: {
          open: { properties: { do: { const: 'open' }, title: text }, required: ['do', 'title'] },
          close: { properties: { do: { const: 'close' }, id: text }, required: ['do', 'id'] },
        },
      },
      {
        properties: { do: { anyOf: [{ const: 'open' }, { const: 'close' }] }, title: text, id: text },
        required: ['do'],
      },
      'Give do "open" with title, or do "close" with id.',
    ],
    [
      'parts that all hold, and conditions',
      {
        properties: { a: text },
        allOf: [{ properties: { b: text }, required: ['b'] }],
        if: { properties: { a: { const: 'x' } } },
        else: { properties: { c: text }, required: ['c'] },
      },
      { properties: { a: { anyOf: [text, { const: 'x' }] }, b: text, c: text }, required: ['b'] },
    ],
  ])('%s', (_, parameters, expected, said) => {
    const { description, parameters: sent } = accepted({ type: 'object', ...parameters });
    const { $defs: _defs, ...shown } = sent as unknown as Record<string, unknown>;
    expect(shown).toEqual({ type: 'object', ...expected });
    expect(description).toBe(said === undefined ? 'Does.' : `Does.\n\n${said}`);
  });

  test('whatever a server has sent, OpenAI and Anthropic take it, and Google its plain form', () => {
    fc.assert(
      fc.property(messySchema, (schema) => {
        const tool = accepted({ ...schema, type: 'object' });
        const parameters = tool.parameters as unknown as Record<string, unknown>;
        expect(openaiSchemaProblem([{ name: 'a', parameters }])).toBeUndefined();
        expect(anthropicSchemaProblem([{ input_schema: parameters }])).toBeUndefined();
        expect(googleSchemaProblem([{ parameters: plainSchema(parameters) }])).toBeUndefined();
        expect(acceptedTool(tool)).toEqual(tool);
      }),
      { numRuns: 200 },
    );
  });
});

const { messySchema } = fc.letrec<{ schema: unknown; messySchema: Record<string, unknown> }>((tie) => {
  const name = fc.constantFrom('a', 'b', 'type', 'items');
  const map = fc.dictionary(name, tie('schema'), { maxKeys: 3 });
  const list = fc.array(tie('schema'), { maxLength: 3 });
  const odd = fc.constantFrom<unknown>(null, true, 'object', 3, '');
  return {
    schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, odd, tie('messySchema')),
    messySchema: fc.record(
      {
        type: fc.constantFrom<unknown>('string', 'object', 'array', 'any', ['array', 'null'], [], 7),
        properties: fc.oneof(map, odd),
        items: fc.oneof(tie('schema'), list),
        anyOf: fc.oneof(list, odd),
        oneOf: list,
        allOf: list,
        not: tie('schema'),
        additionalProperties: tie('schema'),
        enum: fc.oneof(fc.array(odd), odd),
        const: odd,
        required: fc.oneof(fc.array(name), odd),
        exclusiveMinimum: odd,
        $ref: fc.constantFrom('#/$defs/a', '#/$defs/b', '#', 'other.json'),
        $defs: fc.oneof(map, odd),
        description: odd,
      },
      { requiredKeys: [] },
    ),
  };
});

test.each<[string, object, object]>([
  [
    'one type of several',
    { type: ['object', 'null'], properties: { b: text } },
    { type: 'object', properties: { b: text } },
  ],
  ['texts to choose from, the empty one aside', { enum: ['x', ''] }, { type: 'string', enum: ['x'] }],
  ['numbers to choose from', { type: 'integer', enum: [1, 2], exclusiveMinimum: 0 }, { type: 'integer' }],
  [
    'the first of several forms',
    { description: 'A.', anyOf: [{ type: 'null' }, { type: 'array', items: text }] },
    {
      type: 'array',
      items: text,
      description: 'A.',
    },
  ],
  ['what is referred to', { $ref: '#/$defs/t' }, { type: 'boolean' }],
  ['one value', { const: 'x' }, { type: 'string', enum: ['x'] }],
  ['anything', {}, text],
])('a plain schema has %s', (_, schema, expected) => {
  const parameters = {
    type: 'object',
    properties: { a: schema },
    required: ['a', 'gone'],
    $defs: { t: { type: 'boolean' } },
  };
  expect(plainSchema(parameters)).toEqual({ type: 'object', properties: { a: expected }, required: ['a'] });
});
