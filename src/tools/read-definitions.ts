import { z } from 'zod';
import { checkedBy, problemText, under } from '../config/problems.ts';
import { toolTime } from '../config/tool-sources.ts';
import type { SideEffects } from '../protocol/tools/tool.ts';
import type { ToolDefinition } from './definition.ts';
import { checkArguments, isZodSchema, parameterSchema } from './parameters.ts';
import type { Tool, ToolContext } from './tool.ts';

/** How long a tool that names no timeout may run, in seconds. */
export const defaultTimeout = 60;

const definitionSchema = z.strictObject({
  name: z
    .string()
    .refine(
      (name) => /^[\w-]{1,64}$/.test(name),
      'a name has 1 to 64 letters, digits, underscores and hyphens, and nothing else',
    ),
  description: z.string().min(1),
  parameters: z.custom<object>(
    (value) => typeof value === 'object' && value !== null,
    'must be a zod schema, or a JSON Schema of an object',
  ),
  execute: z.custom<ToolDefinition['execute']>(
    (value) => typeof value === 'function',
    'must be a function (args, context)',
  ),
  sideEffects: z.literal([true, false, 'idempotent']).optional(),
  timeout: toolTime.optional(),
  workspace: z.enum(['reads', 'writes']).optional(),
});

/** Reads what a module exports as `tools`. @returns the good ones, and what is wrong with the others, with its key */
export function readDefinitions(exported: unknown): { tools: Tool[]; problems: string[] } {
  if (!Array.isArray(exported)) return { tools: [], problems: ['the export "tools" is not an array'] };
  const read = exported.map((value: unknown, index) => readDefinition(value, ['tools', index]));
  return {
    tools: read.flatMap(({ tool }) => tool ?? []),
    problems: read.flatMap(({ problems = [] }) => problems),
  };
}

function readDefinition(value: unknown, path: PropertyKey[]): { tool?: Tool; problems?: string[] } {
  const checked = checkedBy(definitionSchema, value);
  if (!checked.ok) return { problems: under(path, checked.problems).map((problem) => problemText(problem)) };
  const { name, description, parameters, sideEffects, timeout = defaultTimeout, workspace } = checked.value;
  const schema = parameterSchema(parameters);
  if (typeof schema === 'string') {
    return { problems: [problemText({ path: [...path, 'parameters'], message: schema })] };
  }
  // A method of the exported value must find its `this`.
  const definition = value as { execute(args: unknown, context: ToolContext): unknown };
  const tool: Tool = {
    spec: { name, description, parameters: schema },
    sideEffects: kindOf(sideEffects),
    timeout,
    ...(workspace !== undefined && { workspace }),
    async run(args, context) {
      const input = isZodSchema(parameters) ? await checkArguments(name, parameters, args) : args;
      return definition.execute(input, context);
    },
  };
  return { tool };
}

function kindOf(declared: ToolDefinition['sideEffects']): SideEffects {
  if (declared === undefined) return 'undeclared';
  if (declared === 'idempotent') return 'idempotent';
  return declared ? 'once' : 'none';
}
