import type { McpServer, ToolSources } from '../config/tool-sources.ts';
import type { ToolSpec } from './message.ts';

export type { ToolSources } from '../config/tool-sources.ts';

/**
 * Tools of the world: an agent's model calls them, a worker runs them. Those that change the workflow's own state
 * (`new_answer`, `vote`, `ask_others`…) are not among them.
 */

/** Where one tool comes from. */
export type ToolSource = { package: string } | { mcp: McpServer };

/**
 * What running a tool twice would do. `none`: nothing, it says so; such a tool may run as a local activity.
 * `undeclared`: nothing that it speaks of. `idempotent`: nothing, if it is given the same key. `once`: its effect twice.
 */
export type SideEffects = 'none' | 'undeclared' | 'idempotent' | 'once';

export interface ListedTool {
  name: string;
  source: ToolSource;
  sideEffects: SideEffects;
  /** Longest run, in seconds. */
  timeout: number;
}

/** Input of the activity `listTools`. */
export interface ListToolsInput {
  sources: ToolSources;
  /** The workflow's own tools, which are offered before them. */
  own: ToolSpec[];
  /** Leaves out the tools that declare side effects. */
  harmlessOnly?: boolean;
}

export interface ListToolsResult {
  /** Blob id of all tools offered, for `callModel`. */
  set: string;
  /** The tools of the world among them, in order. */
  tools: ListedTool[];
}

/** Input of the activity `callTool`. */
export interface CallToolInput {
  tool: ListedTool;
  arguments: Record<string, unknown>;
  /** Configured id of the agent that calls it. */
  agent: string;
}

/** The activities that workflows need for tools. */
export interface ToolActivities {
  /** Loads and checks tools. Fails with `InvalidInput` where a source cannot be used. */
  listTools(input: ListToolsInput): Promise<ListToolsResult>;
  callTool(input: CallToolInput): Promise<CallToolResult>;
}

/**
 * What came of a call. `error`: the tool reports a failure; `exception`: it broke, or its worker did.
 * Neither fails the activity: both are for the agent to see.
 */
export interface CallToolResult {
  status: 'ok' | 'error' | 'exception';
  /** The result as the model gets it (what is no string, as JSON), or the message; over 8 KB its beginning. */
  text: string;
  /** Blob id of the whole text, where it is long. */
  blob?: string;
}
