import type { WorkspaceUse } from '../protocol/tools/tool.ts';
import type { ToolContext } from './tool.ts';

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
