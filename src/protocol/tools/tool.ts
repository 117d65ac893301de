import type { Caller } from '../agent-state.ts';
import type { InputGiven, InputRequired } from './elicitation.ts';
import type { ImageRef, ParameterSchema, TokenUsage, ToolSpec } from '../message.ts';
import type { WorkspaceInput } from '../workspace.ts';
import type { McpServer, ToolSources } from '../settings.ts';

/**
 * This file is about tools that a worker runs for an agent. Tools that change the workflow's own state, such as
 * `new_answer`, `vote` and `ask_others`, are the workflow's own.
 */

export type ToolSource = { package: string; seal?: string } | { mcp: McpServer };

/**
 * What a tool declares about its side effects. `none`: it has none, and may run in the activity of the model call that
 * wants it. `undeclared`: it says nothing. `idempotent`: running it twice with the same key has one effect. `once`: running it twice has two.
 */
export type SideEffects = 'none' | 'undeclared' | 'idempotent' | 'once';

export type WorkspaceUse = 'reads' | 'writes';

export interface ListedTool {
  name: string;
  /** What its server calls it, where it is offered under another name; absent: the same. */
  original?: string;
  /** Of `find_tools`: the blob with the tools that it finds, as `ToolSpec`s. */
  finds?: string;
  source: ToolSource;
  sideEffects: SideEffects;
  /** How long a call may run, in seconds. */
  timeout: number;
  /** Whether the agent has `read_result` too, by which it can read on in a result of this tool that is too long. */
  readsOn?: true;
  /** Absent: it gets no files. */
  workspace?: WorkspaceUse;
}

export interface ToolVariant {
  /** The workflow's own tools, which are listed first in the set. */
  own: ToolSpec[];
  /** Whether to leave out the tools that are not known to be harmless. */
  readOnly?: boolean | undefined;
}

/** Input of the activity `listTools`. */
export interface ListToolsInput extends ToolVariant {
  sources: ToolSources;
  others?: ToolVariant[];
  /** Whether the run has had them before, so that what is wrong with a source may pass. */
  goesOn?: boolean;
}

export interface ToolList {
  /** Blob id of all tools together, for `callModel`. */
  set: string;
  /** Blob id of those without side effects, as `ListedTool`s, see `QuickTools`; absent if there are none. */
  quick?: string;
  /** The tools that a worker runs, in the order of the set, and in a line what each of them does. */
  tools: ListedTool[];
  descriptions: string[];
  /** By names: the parameters of those that a person may be asked about, which is all with side effects. */
  parameters: Record<string, ParameterSchema>;
}

export interface ListToolsResult extends ToolList {
  /** Absent if there are none. */
  others?: ToolList[];
}

/** Input of the activity `callTool`. */
export interface CallToolInput {
  tool: ListedTool;
  arguments: Record<string, unknown>;
  /** Configured id of the agent that calls it. */
  agent: string;
  workspace?: WorkspaceInput;
  /** The idempotency key of an earlier try within the model's call; absent if there was none. */
  tried?: string;
  /** Whether a person is there who may be asked for what the tool needs; if not, such a request is declined. */
  asks?: true;
  /** Whether a person has given the arguments in place of the model's: then they are checked against the tool's schema. */
  edited?: true;
  /** What the person has answered to the last call of the same tool, which could not go on without. */
  input?: InputGiven;
  caller: Caller;
}

/**
 * The tools that a model's call runs itself, as soon as a reply wants nothing but some of them: they have no side effects,
 * and every call of them is allowed. It saves the way through the Temporal server and back, and six events.
 */
export interface QuickTools {
  /** Blob id of their list, as `listTools` has stored it. */
  list: string;
  /** The names of those that are not to be run so; absent if all are. */
  without?: string[];
  /** Whether several of one reply run side by side. */
  parallel?: true;
  /** The agent's files, if there are any to read. */
  workspace?: WorkspaceInput;
}

/**
 * The result of a tool call. `error`: the tool reports a failure. `exception`: the tool broke, or its worker did. Neither
 * fails the activity, since the agent is to see it. `input_required`: the call has no result yet, see `input`.
 */
export interface CallToolResult {
  status: 'ok' | 'error' | 'exception' | 'input_required';
  /** The result, as JSON unless it is a string, or the error's message. Only the beginning of what is over 8 KB. */
  text: string;
  /** Blob id of what the model gets, when it is long: the whole text, or its beginning and end if that is too long. */
  blob?: string;
  /** What the tool shows besides, for models that take images; absent if it shows none. */
  images?: ImageRef[];
  /** The tree of files that the call ended in, null for one without files; absent if it changed none. */
  tree?: string | null;
  /** What the person is asked for before the tool can go on. */
  input?: InputRequired;
  /** What searches of a provider's model have cost that the call made; absent for none. */
  usage?: TokenUsage;
}

/** How a call has ended for its agent. */
export type ToolStatus = Exclude<CallToolResult['status'], 'input_required'>;
