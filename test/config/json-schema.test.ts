import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { jsonSchemaOf, schemaNames, schemaText, type JsonSchema } from '../../src/config/json-schema.ts';
import { checkConfig, type Kind } from '../../src/config/kinds.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(`${root}/${file}`, 'utf8');

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, formats: { uri: (text) => URL.canParse(text) } });
const validators = Object.fromEntries(schemaNames.map((name) => [name, ajv.compile(jsonSchemaOf(name))]));
const validatorOf = (name: string): ValidateFunction => validators[name] as ValidateFunction;

/** What is wrong with a configuration by the schema of its kind, and by that of all kinds; empty if nothing is. */
function schemaProblems(content: object, kind: Kind): string[] {
  return [kind, 'config'].flatMap((name) => {
    const validate = validatorOf(name);
    return validate(content) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`];
  });
}

/** Parts of configurations that documents show by themselves, in a configuration where they may stand. */
function whole(content: Record<string, unknown>): object {
  if ('backend' in content) return { plan: content };
  if (!('servers' in content)) return content;
  const modules = [
    { module: 'OfflineLLM', id: 'llm' },
    { module: 'MCPToolProvider', id: 'tools', config: content },
    { module: 'SimpleToolOrchestrator', id: 'loop' },
  ];
  const exchange = [
    { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'loop' },
    { module: 'loop', protocol: 'LLMProtocol', provider: 'llm' },
    { module: 'loop', protocol: 'ToolProviderProtocol', provider: 'tools' },
  ];
  return { modules, exchange };
}

const blocks = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].flatMap((file) =>
  [...read(file).matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text = ''], index) => ({
    where: `${file}, block ${index + 1}`,
    text,
  })),
);
const files = globSync(['examples/**/*.yaml', 'test/fixtures/blocks/*.yaml'], { cwd: root }).filter(
  // Questions with their answers.
  (file) => !/\/questions.*\.yaml$/.test(file),
);
const printed = [...blocks, ...files.map((where) => ({ where, text: read(where) }))].map(({ where, text }) => ({
  where,
  content: whole(parse(text) as Record<string, unknown>),
}));

test.for(schemaNames)('schemas/%s.json is what `reprise schema` prints (`npm run schemas` writes it)', (name) => {
  expect(read(`schemas/${name}.json`)).toBe(`${schemaText(name)}\n`);
});

/** The keys of a schema that have no description, with the way to them. */
function undescribed(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, if: _, then, ...rest } = schema as JsonSchema;
  const described = (then as JsonSchema | undefined)?.properties?.['config'];
  const own = Object.entries(properties).filter(([, each]) => (each as JsonSchema)['description'] === undefined);
  return [
    ...own.map(([key]) => `${path}.${key}`),
    ...Object.entries(properties).flatMap(([key, each]) => undescribed(each, `${path}.${key}`)),
    ...undescribed(described, `${path}.config`),
    ...Object.entries(rest).flatMap(([key, each]) => undescribed(each, `${path}/${key}`)),
  ];
}

test.for(schemaNames)('the schema %s has a title, an address of its own, and a description for every key', (name) => {
  const schema = jsonSchemaOf(name);
  expect(schema).toMatchObject({
    title: expect.any(String) as string,
    $id: expect.stringMatching(`/${name}.json$`) as string,
  });
  expect(undescribed(schema)).toEqual([]);
});

test('defaults and choices are in it', () => {
  const text = JSON.stringify(jsonSchemaOf('team'));
  expect(text).toContain('"default":2');
  expect(text).toContain('["lenient","balanced","strict"]');
});

describe('what is printed in README, docs and examples has the form that the schema demands', () => {
  test('and there is some', () => expect(printed.length).toBeGreaterThan(30));

  test.for(printed)('$where', ({ content }) => {
    const checked = checkConfig(content);
    expect(checked.ok ? schemaProblems(content, checked.value.kind) : checked.problems).toEqual([]);
  });
});

const agent = whole({ servers: [{ name: 'a', command: 'b' }] }) as { modules: object[]; exchange: object[] };
const wrong: Array<[what: string, kind: Kind, content: object]> = [
  ['an unknown key', 'team', { agnets: [] }],
  ['an unknown key below', 'team', { orchestrator: { coordination: { max_restarts: 1 } } }],
  ['an unknown backend', 'team', { agents: [{ id: 'a', backend: { type: 'opnai' } }] }],
  ['a team without agents', 'team', { agents: [] }],
  ['a missing id', 'team', { agents: [{}] }],
  ['a text for a number', 'team', { budget: { calls: 'ten' } }],
  ['no URL', 'plan', { plan: { backend: { type: 'openai', base_url: 'here' } } }],
  ['a score above 100', 'research', { research: { min_viability_score: 101 } }],
  ['an aspect with a space', 'research', { research: { weights: { 'how new': 1 } } }],
  ['no repository', 'research', { research: { github_issue: { repo: 'mine' } } }],
  ['an unknown loop', 'plan', { plan: { executor: { orchestrator: 'raect' } } }],
  ['no module of tools', 'plan', { plan: { executor: { tool_packages: ['tools weather'] } } }],
  ['an unknown module', 'agent', { ...agent, modules: [{ module: 'OpenAILM', id: 'llm' }] }],
  [
    "a key that is another module's",
    'agent',
    { ...agent, modules: [{ module: 'x.OpenAILLM', id: 'a', config: { max_thoughts: 1 } }] },
  ],
  ['a module without its config', 'agent', { ...agent, modules: [{ module: 'PythonToolProvider', id: 'tools' }] }],
  ['an unknown protocol', 'agent', { ...agent, exchange: [{ module: 'loop', protocol: 'LLM', provider: 'llm' }] }],
  ['modules without exchange', 'agent', { modules: agent.modules }],
];
test.for(wrong)('refused by the schema as by the checker: %s', ([, kind, content]) => {
  expect(checkConfig(content).ok).toBe(false);
  expect(schemaProblems(content, kind)).toHaveLength(2);
});

test('a $schema is no unknown key, in any kind of configuration', () => {
  for (const content of [{}, { research: {} }, { plan: {} }, agent]) {
    const withSchema = { $schema: './schemas/config.json', ...content };
    const checked = checkConfig(withSchema);
    expect(checked.ok ? schemaProblems(withSchema, checked.value.kind) : checked.problems).toEqual([]);
  }
});

/** All places in a configuration, by the keys that lead there. */
function placesIn(content: unknown, path: Array<string | number> = []): Array<Array<string | number>> {
  if (typeof content !== 'object' || content === null) return [path];
  const keys = Array.isArray(content) ? [...content.keys()] : Object.keys(content);
  return [path, ...keys.flatMap((key) => placesIn((content as Record<string, unknown>)[key], [...path, key]))];
}

const leftOut = Symbol('left out');

/** A copy with another value at one place. */
function changed(content: unknown, [key, ...rest]: Array<string | number>, value: unknown): unknown {
  if (key === undefined) return value;
  const copy = (Array.isArray(content) ? [...(content as unknown[])] : { ...(content as object) }) as Record<
    string,
    unknown
  >;
  const inner = changed(copy[key], rest, value);
  if (inner !== leftOut) copy[key] = inner;
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key];
  return copy;
}

/** What the checker says of the form of a configuration, which a schema can tell as well. Wires it cannot tell. */
const ofForm =
  /: unknown key|^is missing|(?<!no )\bis not (?:a |one of |true or false)|too (?:small|large)|must not be empty|is no path/;

test('what the schema takes the checker does not refuse for its form, and what the checker takes so does the schema', () => {
  const values = fc.constantFrom<unknown>(
    leftOut,
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    101,
    '',
    'x',
    'human',
    'offline',
    './x.ts',
    [],
    ['x'],
    {},
    { x: 1 },
    { type: 'offline' },
  );
  const place = fc.constantFrom(
    ...printed.flatMap(({ content }) =>
      placesIn(content)
        .slice(1)
        .map((path) => ({ content, path })),
    ),
  );
  fc.assert(
    fc.property(place, values, ({ content, path }, value) => {
      const other = changed(content, path, value) as object;
      const checked = checkConfig(other);
      const isTaken = validatorOf('config')(other);
      if (checked.ok) expect({ other, isTaken }).toEqual({ other, isTaken: true });
      else if (isTaken) expect(checked.problems.filter(({ message }) => ofForm.test(message))).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});
