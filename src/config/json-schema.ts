import { z } from 'zod';
import { sessionShape, soloShape } from './coordination.ts';
import { wireSchema } from './exchange.ts';
import { modulePathPattern } from './extensions.ts';
import { kinds, type Kind } from './kinds.ts';
import { moduleConfigs, moduleSchema } from './modules.ts';
import { planSchema } from './plan.ts';
import { researchSchema } from './research.ts';
import { teamSchema } from './team.ts';

/** A JSON Schema of draft 7, which every editor understands. */
export type JsonSchema = { [keyword: string]: unknown; properties?: Record<string, unknown> };

const draft = 'http://json-schema.org/draft-07/schema#';
const ids = 'https://raw.githubusercontent.com/reprise-agents/reprise/main/schemas';

type SchemaName = Kind | 'config';

/** The address of a schema, which stays the same from version to version. Its file is `schemas/NAME.json`. */
export const schemaId = (name: SchemaName): string => `${ids}/${name}.json`;

const kindNames = Object.keys(kinds) as Kind[];

export const schemaNames: SchemaName[] = [...kindNames, 'config'];

const $schema = { type: 'string', description: 'The address of this JSON schema, for editors. Ignored.' };

export function jsonSchemaOf(name: SchemaName): JsonSchema {
  return name === 'config' ? ofAllKinds() : { ...heading(name), ...ofKind(name) };
}

export const schemaText = (name: SchemaName): string => JSON.stringify(jsonSchemaOf(name), undefined, 2);

const heading = (name: SchemaName): JsonSchema => ({ $schema: draft, $id: schemaId(name) });

function ofKind(kind: Kind): JsonSchema {
  const { title, description } = kinds[kind];
  const { properties, ...rest } = shapes[kind]();
  return { title, description, ...rest, properties: { $schema, ...properties } };
}

const shapes: Record<Kind, () => JsonSchema> = {
  team: () => written(teamSchema),
  agent: ofAgent,
  research: () => written(researchSchema),
  plan: () => written(planSchema),
};

function written(schema: z.ZodType): JsonSchema {
  const made = z.toJSONSchema(schema, {
    io: 'input',
    target: 'draft-07',
    override: ({ jsonSchema }) => normalizeSchema(jsonSchema),
  });
  const { $schema: _, ...rest } = made as JsonSchema;
  return rest;
}

/** Leaves out what tells an author nothing: privileges, the greatest safe integer, and `{}` as a default, which editors would insert. */
function normalizeSchema(schema: JsonSchema): void {
  delete schema['privilege'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (JSON.stringify(schema['default']) === '{}') delete schema['default'];
  if (JSON.stringify(schema['propertyNames']) === '{"type":"string"}') delete schema['propertyNames'];
}

const when = (condition: object, holds: object, otherwise: object = {}): object =>
  // oxlint-disable-next-line unicorn/no-thenable -- nobody awaits a schema
  ({ if: condition, then: holds, else: otherwise });

const objectOrNull = ['object', 'null'];

/** Modules and wires are checked one by one (one-agent.ts), and so their schemas are put together here. */
function ofAgent(): JsonSchema {
  const names = moduleConfigs.map(({ name }) => name).join('|');
  const module = written(moduleSchema);
  const { module: name, config, ...properties } = module.properties as Record<'module' | 'config', JsonSchema>;
  const known = [
    { enum: moduleConfigs.map(({ name }) => name) },
    { pattern: `^[^/\\\\]*\\.(?:${names})$` },
    { pattern: `^${modulePathPattern}$` },
  ];
  const one = {
    ...module,
    // Without any value `config:` is null.
    properties: { module: { ...name, anyOf: known }, ...properties, config: { ...config, type: objectOrNull } },
    allOf: configsByModule(),
  };
  return written(
    z.strictObject({
      modules: z
        .array(z.unknown().meta(one))
        .min(1)
        .describe('The parts of the agent: a model, an orchestrator, tools.'),
      exchange: z
        .array(wireSchema)
        .describe('Which module uses which: __entry__ an orchestrator, the orchestrator a model and tools.'),
      ...soloShape,
      ...sessionShape,
    }),
  );
}

/** What the `config:` of a module is, by the name of the module. Models all have the same keys. */
function configsByModule(): object[] {
  const alike = Map.groupBy(moduleConfigs, ({ config }) => JSON.stringify(written(config)));
  return [...alike].map(([text, modules]) => {
    const config = JSON.parse(text) as JsonSchema;
    const pattern = `(?:^|\\.)(?:${modules.map(({ name }) => name).join('|')})$`;
    const holds = config['required']
      ? { properties: { config }, required: ['config'] }
      : { properties: { config: { ...config, type: objectOrNull } } };
    return when({ properties: { module: { type: 'string', pattern } }, required: ['module'] }, holds);
  });
}

/** A schema of which one of the others holds, by the first of these keys that there is. */
function ofAllKinds(): JsonSchema {
  const parts = kindNames.map((kind) => ({ kind, schema: ofKind(kind) }));
  const definitions: Record<string, unknown> = {};
  for (const { kind, schema } of parts) {
    const { definitions: own, ...rest } = schema;
    Object.assign(definitions, own, { [kind]: rest });
  }
  const ref = (kind: Kind) => ({ $ref: `#/definitions/${kind}` });
  const having = (key: string, kind: Kind, otherwise: object) => when({ required: [key] }, ref(kind), otherwise);
  const ofTeam = parts[0]?.schema.properties ?? {};
  const ofOthers = parts
    .flatMap(({ schema }) => Object.entries(schema.properties ?? {}))
    .filter(([key]) => !(key in ofTeam));
  return {
    ...heading('config'),
    title: 'A configuration of Reprise',
    description: 'A team, one agent (modules, exchange), research or a plan, told apart by their top-level keys.',
    type: 'object',
    // In an empty file, which is a team's, editors offer the other kinds' keys too.
    properties: Object.fromEntries(
      ofOthers.map(([key, property]) => [key, { description: (property as JsonSchema)['description'] }]),
    ),
    ...having(
      'modules',
      'agent',
      having('exchange', 'agent', having('research', 'research', having('plan', 'plan', ref('team')))),
    ),
    definitions,
  };
}
