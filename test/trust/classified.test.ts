import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  orchestrationInputSchema,
  researchInputSchema,
  sessionInputSchema,
  solveInputSchema,
} from '../../src/config/inputs.ts';
import { jsonSchemaOf, schemaNames, type JsonSchema } from '../../src/config/json-schema.ts';
import type { Kind } from '../../src/config/kinds.ts';
import { moduleConfigs } from '../../src/config/modules.ts';
import { configEntries, inputEntries, moduleEntries } from '../../src/trust/table.ts';
import type { Entry } from '../../src/trust/refusals.ts';

const kinds = schemaNames.filter((name): name is Kind => name !== 'config');

test.each(kinds)('every key of a configuration of the kind %s is classified', (kind) => {
  const schema = jsonSchemaOf(kind);
  expect(unclassified(configEntries[kind], schema, schema)).toEqual([]);
});

test.each(moduleConfigs)('every key of the config of the module $name is classified', ({ config, name }) => {
  const schema = z.toJSONSchema(config, { io: 'input' }) as JsonSchema;
  expect(moduleEntries[name]).toBeDefined();
  expect(unclassified(moduleEntries[name] ?? {}, schema, schema)).toEqual([]);
});

const inputs = {
  orchestration: orchestrationInputSchema,
  session: sessionInputSchema,
  research: researchInputSchema,
  planAndExecute: solveInputSchema,
};

test.each(Object.keys(inputEntries) as Array<keyof typeof inputs>)(
  'every key of the input %s is classified',
  (name) => {
    const schema = z.toJSONSchema(inputs[name], { io: 'input' }) as JsonSchema;
    expect(unclassified(inputEntries[name], schema, schema)).toEqual([]);
  },
);

test('a key that is new is found wherever it stands', () => {
  const agent = z.strictObject({ id: z.string(), backend: z.strictObject({ type: z.string(), socket: z.string() }) });
  const schema = z.toJSONSchema(z.strictObject({ agents: z.array(agent), plugin: z.string() })) as JsonSchema;
  expect(unclassified(configEntries.team, schema, schema)).toEqual(['agents[].backend.socket', 'plugin']);
});

/** The keys of a schema that the table has no entry for. */
function unclassified(entry: Entry, schema: JsonSchema, root: JsonSchema, path = ''): string[] {
  // What is chosen by a key beside it, the configs of modules, is looked at by itself.
  if (entry.choose !== undefined) return [];
  return formsOf(schema, root).flatMap((form) => {
    const missing = Object.entries(form.properties ?? {}).flatMap(([key, property]) => {
      const place = path === '' ? key : `${path}.${key}`;
      const own = entry.keys !== undefined && Object.hasOwn(entry.keys, key) ? entry.keys[key] : undefined;
      if (own === undefined) return [place];
      return unclassified(own, property as JsonSchema, root, place);
    });
    const items = [form['items'], form['additionalProperties']].filter(
      (each): each is JsonSchema => typeof each === 'object' && each !== null,
    );
    const inItems = items.flatMap((item) => {
      const each = entry.each ?? (entry.keys === undefined ? entry : {});
      return unclassified(each, item, root, `${path}[]`);
    });
    return [...missing, ...inItems];
  });
}

/** A schema behind its references, in all the forms that a value may have. */
function formsOf(schema: JsonSchema, root: JsonSchema): JsonSchema[] {
  const { $ref, allOf, anyOf, oneOf, ...rest } = schema as JsonSchema & Record<string, JsonSchema[] | undefined>;
  const referred = typeof $ref === 'string' ? [refIn(root, $ref)] : [];
  const forms = [...referred, ...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])];
  return [rest, ...forms.flatMap((form) => formsOf(form, root))];
}

const refIn = (root: JsonSchema, ref: string): JsonSchema =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>((place, key) => (place as Record<string, unknown>)[key], root) as JsonSchema;
