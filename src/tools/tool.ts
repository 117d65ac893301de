import type { ToolSpec } from '../protocol/message.ts';
import type { SideEffects, ToolSource } from '../protocol/tool.ts';

/** What a tool is given beside its arguments. */
export interface ToolContext {
  workflowId: string;
  /** Configured id of the agent that calls. */
  agentId: string;
  /** The same for every try of one call, and for no other call. */
  idempotencyKey: string;
  /** Aborted at the tool's timeout, and when the call is cancelled. */
  signal: AbortSignal;
}

/** A tool that this worker can run, wherever it comes from. */
export interface Tool {
  spec: ToolSpec;
  sideEffects: SideEffects;
  /** Longest run, in seconds. */
  timeout: number;
  /** @throws `ToolError` for a failure that the tool reports; anything else where it broke */
  run(args: Record<string, unknown>, context: ToolContext): Promise<unknown>;
}

/** A failure that a tool reports, as against one that it did not foresee. Users' tools throw their own of this name. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** A source of tools that cannot be used, with all that is wrong with it. */
export class SourceError extends Error {
  readonly problems: string[];

  constructor(problems: string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.problems = problems;
  }
}

/** Where tools come from: modules, built-ins, MCP servers. */
export interface ToolRegistry {
  /** The tools of one source, in its order. @throws `SourceError` */
  tools(source: ToolSource): Promise<Tool[]>;
  /** Ends the servers that were started. */
  close(): Promise<void>;
}
