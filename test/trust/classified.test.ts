import { expect, test } from 'vitest';
import { z } from 'zod';
import { safe } from '../../src/config/privileges.ts';
import { moduleConfigs } from '../../src/config/modules.ts';
import { strictest } from '../../src/trust/policy.ts';
import { violations } from '../../src/trust/violations.ts';
import { configSchemas, inputSchemas, partSchemas } from '../../src/trust/schemas.ts';
import { keyPaths } from './key-paths.ts';

const schemas: Array<[name: string, schema: z.ZodType]> = [
  ...Object.entries(configSchemas),
  ...Object.entries(inputSchemas),
  ...Object.entries(partSchemas),
  ...moduleConfigs.map(({ config, name }): [string, z.ZodType] => [name, config]),
];

test.each(schemas)('every key of %s has a privilege', (_, schema) => {
  expect(unclassified(schema)).toEqual([]);
});

const agent = z.strictObject({
  id: z.string().meta(safe()),
  backend: z.strictObject({ type: z.string().meta(safe()), socket: z.boolean().optional() }),
});
const schema = z.strictObject({ agents: z.array(agent), plugin: z.string().default('x') });

test('a key that is new is found wherever it stands', () => {
  expect(unclassified(schema)).toEqual(['agents[].backend.socket', 'plugin']);
});

test('a key without a privilege is refused, and so is one that is unknown', () => {
  const value = { agents: [{ id: 'a', mine: 1, backend: { type: 'x', socket: true } }], plugin: 'p' };
  expect(violations(schema, value, strictest).map(({ path }) => path.join('.'))).toEqual([
    'agents.0.mine',
    'agents.0.backend.socket',
    'plugin',
  ]);
});

/** The keys of a schema of which nobody has said what they may reach. */
const unclassified = (of: z.ZodType): string[] =>
  keyPaths(of).flatMap(({ path, privilege }) => (privilege === undefined ? [path] : []));
