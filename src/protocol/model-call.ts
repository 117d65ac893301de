import type { Caller } from './agent-state.ts';
import type { BlobRef, Content, NewMessage, TokenUsage, TranscriptRef } from './message.ts';
import type { CallToolResult, QuickTools } from './tools/tool.ts';
import type { WorkspaceInput } from './workspace.ts';
import type { Backend } from './settings.ts';

/** Whether a reply may call tools. `required`: it has at least one call. `oneOf`: it calls one of these. */
export type ToolChoice = 'auto' | 'required' | 'none' | { oneOf: string[] };

/** Input of the activity `callModel`: one request to one model. */
export interface CallModelInput {
  backend: Backend;
  /** Absent when the conversation begins with a system message of its own. */
  system?: Content;
  /** The conversation so far; null for a new one. */
  transcript: TranscriptRef | null;
  /** The messages after `transcript`, in order. */
  append: NewMessage[];
  tools: BlobRef | null;
  /** Whether the reply may call them; `auto` if absent. */
  toolChoice?: ToolChoice;
  /** The tools to one of which a schema holds the reply, where the model has given a text in place of a call; absent: none. */
  bySchema?: string[];
  /** The tools that the call may run itself; absent: none. */
  quick?: QuickTools;
  /** For a shadow, which gets its parent's conversation, `transcript` and `append`, as plain text. */
  shadow?: {
    /** Activity id of the parent's call under way, if any, whose text so far the shadow is shown too. */
    writing?: string;
  };
  /** For backends of the type `claude_code`, which do more in a call than one request. */
  work?: {
    /** Its files; absent: it has none, and no tools of its own. */
    files?: WorkspaceInput;
    /** Whether it may only read them. */
    readsOnly?: true;
    /** The most that the call may cost, in US dollars. */
    mostUsd?: number;
  };
  caller: Caller & { purpose: string };
}

/** A tool call as judges, validators and later tries are shown it: its arguments as JSON, and how its result begins. */
export interface ToolCallSummary {
  tool: string;
  input: string;
  status: CallToolResult['status'];
  text: string;
}

/** A tool call with arguments that fit the tool's schema, or with the reason why they do not. */
export type ReplyCall = GoodCall | BadCall;

export interface BadCall {
  id: string;
  name: string;
  error: string;
  /** The same for the same arguments; absent where these are not known. */
  digest?: string;
}

export interface GoodCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
  /** What it has come to, where the model's call has run it, see `QuickTools`. */
  ran?: CallToolResult;
  /** The idempotency key of a run within the model's call that was given up, since it took too long. */
  late?: string;
}

export type Finish = 'stop' | 'tool_calls' | 'length';

/** What the model said, at most 1 MB. */
export interface Reply {
  content: string;
  calls: ReplyCall[];
  finish: Finish;
  /** Whether it was cut off since it took the share of its model's context that is for a reply: more of it would not fit. */
  isFull?: true;
  /** What an agent has done with tools of its own before it replied. */
  work?: ToolCallSummary[];
}

/** Result of `callModel`. `transcript` ends with the reply. */
export interface CallModelResult {
  transcript: TranscriptRef;
  reply: Reply;
  usage: TokenUsage;
  /** What a summary of earlier messages has cost that was made for the call; absent if none was. */
  summary?: TokenUsage;
  /** The tree of files that the call ended in, null for one without files; absent if it changed none. */
  tree?: string | null;
  /** What the person who started the run should know, such as a setting that the model does not take. */
  notices?: string[];
}

/** Heartbeat details of a running `callModel`, or of a tool that shows what it has so far: what is written by now. */
export interface ModelProgress {
  /** The last 4,000 characters of the text, or of the tool arguments, in progress. */
  partial: string;
  /** Characters written so far in all. */
  characters: number;
  /** Characters thought so far, which are not shown; absent: none. */
  thought?: number;
  /** The try that writes, from 1. */
  attempt: number;
  /** Why the request is not sent yet, such as "waits for a free place at openai"; absent when it is. */
  waitsFor?: string;
  /** The configured id of the agent whose tool it is. That of a model's call is known by its event. */
  agent?: string;
}
