import { z } from 'zod';
import { checkedBy, problemText, under } from '../config/problems.ts';
import { toolTime } from '../config/tool-sources.ts';
import type { SideEffects, WorkspaceUse } from '../protocol/tools/tool.ts';
import { checkArguments, isZodSchema, parameterSchema } from './parameters.ts';
import type { Tool, ToolContext } from './tool.ts';

/** How long a tool that names no timeout may run, in seconds. */
export const defaultTimeout = 60;

/** What `execute` gets: what a zod schema makes of the arguments. What a JSON Schema describes is not known as a type. */
export type ArgumentsOf<Parameters> = Parameters extends { _zod: { output: infer Arguments } } ? Arguments : any;

/** What of `parameters` compiles in `defineTool`: all but what would be refused when the module is loaded, as far as types tell. */
type Usable<Parameters> = Parameters extends { _zod: { input: infer Input } }
  ? [Input] extends [object]
    ? unknown
    : unknown extends Input
      ? unknown
      : 'must be a schema of an object: z.object({ … })'
  : Parameters extends { _def: object }
    ? 'must be a schema of zod 4, or a JSON Schema'
    : Parameters[keyof Parameters] extends { _zod: object }
      ? keyof Parameters extends never
        ? unknown
        : 'must be a schema of an object: z.object({ … }) around these'
      : unknown;

/** One tool as a module exports it in its array `tools`. */
export interface ToolDefinition<Parameters extends object = object, Result = unknown> {
  name: string;
  description: string;
  /** A zod schema, or a JSON Schema of an object. */
  parameters: Parameters;
  /**
   * Returns the result, which the model reads as it is if it is a string, and as JSON if it is anything else. One that shows
   * images is `{text, images: [{data}]}`, see `ShownByTool`.
   */
  execute: (args: ArgumentsOf<Parameters>, context: ToolContext) => Result;
  /** `true` if running it twice takes effect twice, `'idempotent'` if not with the same key, `false` if it has none. */
  sideEffects?: boolean | 'idempotent';
  /** How long it may run, in seconds; 60 if absent. */
  timeout?: number;
  /** Whether it reads or changes the agent's files, which it gets as `context.workspace` then. */
  workspace?: WorkspaceUse;
}

/**
 * The tool as it is given, and what the compiler knows about it: the arguments of `execute` have the types of `parameters`, as in
 * `defineTool({ name, description, parameters: z.object({ city: z.string() }), execute: ({ city }) => city.length })`.
 */
export const defineTool = <Parameters extends object, Result>(
  tool: ToolDefinition<Parameters, Result> & { parameters: Usable<Parameters> },
): ToolDefinition<Parameters, Result> => tool;

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
