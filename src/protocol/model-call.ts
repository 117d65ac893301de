import type { Backend } from '../config/backend.ts';
import type { Content, NewMessage, TokenUsage, TranscriptRef } from './message.ts';

/** Which tools a reply may use. `required`: at least one call. */
export type ToolChoice = 'auto' | 'required' | 'none';

/** Input of the activity `callModel`: one request to one model. */
export interface CallModelInput {
  backend: Backend;
  /** The system message, before everything; absent where the conversation begins with its own. */
  system?: Content;
  /** The conversation so far; null starts one. */
  transcript: TranscriptRef | null;
  /** What is new since `transcript`, in order. */
  append: NewMessage[];
  /** Blob id of the tools offered (see `storeTools`); null offers none. */
  tools: string | null;
  toolChoice?: ToolChoice;
  /** For a shadow: `transcript` and `append` are its parent's conversation, which it reads as plain text. */
  shadow?: {
    /** Activity id of the call that its parent is making at this moment; what it has written by now is shown too. */
    writing?: string;
  };
}

/** A tool call whose arguments were parsed and checked against the tool's schema, or the reason why they do not fit. */
export type ReplyCall =
  { id: string; name: string; input: Record<string, unknown> } | { id: string; name: string; error: string };

export type Finish = 'stop' | 'tool_calls' | 'length';

/** What the model said, bounded to 1 MB. */
export interface Reply {
  content: string;
  calls: ReplyCall[];
  finish: Finish;
}

/** Result of `callModel`. `transcript` ends with the reply. */
export interface CallModelResult {
  transcript: TranscriptRef;
  reply: Reply;
  usage: TokenUsage;
}

/** Heartbeat details of a running `callModel`: what the model has written so far. */
export interface ModelProgress {
  /** The last 4,000 characters of the text, or of the tool arguments, in progress. */
  partial: string;
  /** Characters written so far in all. */
  characters: number;
}
