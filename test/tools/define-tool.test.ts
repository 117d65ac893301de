import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineTool, type ToolDefinition } from '../../src/client.ts';
import { readDefinitions } from '../../src/tools/read-definitions.ts';

const named = { name: 'forecast', description: 'A forecast.' };
const parameters = z.object({ city: z.string(), days: z.number().default(3) });

const forecast = defineTool({
  ...named,
  parameters,
  execute({ city, days }, { agentId }) {
    expectTypeOf(city).toEqualTypeOf<string>();
    expectTypeOf(days).toEqualTypeOf<number>();
    expectTypeOf(agentId).toEqualTypeOf<string>();
    return { city, days };
  },
});

const fromJsonSchema = defineTool({
  ...named,
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  execute: ({ city }: { city: string }) => city,
});

test('arguments have the types that the zod schema gives them, defaults applied, and the result has its own', () => {
  expectTypeOf(forecast.execute).parameter(0).toEqualTypeOf<{ city: string; days: number }>();
  expectTypeOf(forecast.execute).returns.toEqualTypeOf<{ city: string; days: number }>();
  expectTypeOf([forecast, fromJsonSchema]).toExtend<ToolDefinition[]>();
});

test('arguments of another type than the schema gives do not compile', () => {
  // @ts-expect-error -- a city is a text
  defineTool({ ...named, parameters, execute: ({ city }: { city: number }) => city });
  // @ts-expect-error -- there is no such argument
  defineTool({ ...named, parameters, execute: ({ town }) => town });
  // @ts-expect-error -- the schema does not promise a unit
  defineTool({ ...named, parameters, execute: ({ unit }: { city: string; unit: string }) => unit });
});

test('a tool that was defined is one as a module exports it', () => {
  const { problems, tools } = readDefinitions([forecast]);
  expect(problems).toEqual([]);
  expect(tools).toMatchObject([{ spec: { name: 'forecast', parameters: { required: ['city'] } } }]);
});

test('parameters that would be refused when the module is loaded do not compile', () => {
  const execute = (): string => '';
  // @ts-expect-error -- a shape is no schema yet
  defineTool({ ...named, parameters: { city: z.string() }, execute });
  // @ts-expect-error -- arguments are an object
  defineTool({ ...named, parameters: z.string(), execute });
  // @ts-expect-error -- zod 3
  defineTool({ ...named, parameters: { _def: {}, parse: () => '' }, execute });
  const read: object = JSON.parse('{ "type": "object" }') as object;
  const usable = [{}, read, { type: 'object' }, z.record(z.string(), z.number()), z.any()];
  for (const each of usable) defineTool({ ...named, parameters: each, execute });
  defineTool({ ...named, parameters: z.record(z.string(), z.number()), execute: (args) => args['a']?.toFixed() });
  defineTool({ ...named, parameters: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), execute });
  defineTool({ ...named, parameters: z.object({ a: z.string() }).transform(({ a }) => a.length), execute });
  defineTool({ ...named, parameters: {}, execute });
});
