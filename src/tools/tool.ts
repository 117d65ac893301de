import type { InputGiven, InputRequired } from '../protocol/tools/elicitation.ts';
import type { TokenUsage, ToolSpec } from '../protocol/message.ts';
import type { SideEffects, ToolSource, WorkspaceUse } from '../protocol/tools/tool.ts';
import type { Workspace } from './workspace.ts';

/** What a tool gets besides its arguments. */
export interface ToolContext {
  workflowId: string;
  /** The configured id of the agent that calls. */
  agentId: string;
  /** A key that all tries of one call share, and no other call has. */
  idempotencyKey: string;
  /** Is aborted at the tool's timeout, and when the call is cancelled. */
  signal: AbortSignal;
  /** Shows a person what there is so far: the end of it, and how much there is in all. Absent where nobody can be shown. */
  progress?: (tail: string, length: number) => void;
  /** The agent's files, for a tool that says that it has to do with them. */
  workspace?: Workspace;
}

/** What tools of MCP servers and built-in ones get besides. */
export interface CallContext extends ToolContext {
  /** Counts what a request to a model has cost that the tool has made. */
  spent?: (usage: TokenUsage) => void;
  /** Whether the tool may end with `InputNeeded`. */
  asks?: boolean;
  /** What the person has answered. */
  input?: InputGiven | undefined;
}

/** What a tool returns that cannot go on without the person. */
export class InputNeeded {
  readonly input: InputRequired;

  constructor(input: InputRequired) {
    this.input = input;
  }
}

/**
 * How much of a document one call reads, in characters: little less than what a model gets of one result (run-tool.ts), since
 * every further piece sends all pieces before it once more.
 */
export const longestRead = 38_000;

/** A tool that this worker can run, wherever it comes from. */
export interface Tool {
  spec: ToolSpec;
  sideEffects: SideEffects;
  /** Whether it says that it changes nothing, although it may take too long to run within a model's call. */
  onlyReads?: boolean;
  /** How long it may run, in seconds. */
  timeout: number;
  workspace?: WorkspaceUse;
  /** @throws `ToolError` for a failure that the tool reports, and anything else if it broke */
  run(args: Record<string, unknown>, context: CallContext): Promise<unknown>;
}

/** Says that a source of tools cannot be used, with everything that is wrong with it. */
export class SourceError extends Error {
  readonly problems: string[];
  /** The variable whose lack is the problem, or the first of several, or the name of a login (`loginName`). */
  readonly variable: string | undefined;

  constructor(problems: string[], { variable, ...options }: ErrorOptions & { variable?: string | undefined } = {}) {
    super(problems.join('\n'), options);
    this.problems = problems;
    this.variable = variable;
  }
}

/** The tools of modules, built-ins and MCP servers. */
export interface ToolRegistry {
  /** The tools of a source, in its order. @throws `SourceError` */
  tools(source: ToolSource): Promise<Tool[]>;
  /** Whether somebody has logged in at an MCP server. */
  isLoggedIn?(url: string): boolean;
  /** Ends the MCP servers that were started. */
  close(): Promise<void>;
}

/** A failure that a tool foresaw and reports. Users' tools throw an error of their own with this name. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

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
