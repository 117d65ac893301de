import type { AttachmentKind } from '../protocol/attachment.ts';
import type { Message, TokenUsage, TranscriptRef } from '../protocol/message.ts';
import type { CallModelResult } from '../protocol/model-call.ts';
import type { StoredReport } from '../protocol/research.ts';
import type { CallToolResult } from '../protocol/tool.ts';

/** One finished model call, ready to be committed. */
export interface ReplyCommit {
  /** `runId/activityId`: the same for every try of one call. */
  key: string;
  /** Hash of the call's input; a row under the same key with another hash is a miss. */
  inputHash: string;
  /** Id of the segment that this one follows; null for a first segment. */
  parent: string | null;
  /** The messages of the call: what was new, then the reply. */
  messages: Message[];
  /** The activity's result but for its `transcript`, which the commit completes. */
  result: Omit<CallModelResult, 'transcript'>;
}

/** A file of a run: one that came with its problem, or one that a tool made. What is in it is a blob. */
export interface RunFile {
  /** Unique in its run. */
  name: string;
  kind: AttachmentKind;
  mediaType: string;
  /** Its size. */
  bytes: number;
  /** Of its bytes, SHA-256. */
  hash: string;
  /** Blob id of its text; absent where it has none that can be read. */
  text?: string;
  /** Blob id of an image in base64. */
  image?: string;
  /** Why it, or a part of it, cannot be read. */
  note?: string;
  from: 'attachment' | 'tool';
}

/**
 * Where transcripts, blobs, reports, files and the journal of replies and tool results live. Nothing in it is ever
 * changed in place but a file that a tool made: ids are hashes of what they name, and of two writers of one report,
 * attachment or journal key the first one wins.
 */
export interface Store {
  /** The journalled result of an earlier try of this call, if its segment is committed and its input was the same. */
  findReply(key: string, inputHash: string): Promise<CallModelResult | undefined>;
  /**
   * Writes the segment and the journal row in one transaction. Returns what the journal holds afterwards:
   * this result, or that of the writer that came first.
   */
  commitReply(commit: ReplyCommit): Promise<CallModelResult>;
  /** The journalled result of an earlier try of this tool call, if its input was the same. */
  findToolResult(key: string, inputHash: string): Promise<CallToolResult | undefined>;
  /** Journals what came of a tool call. Returns this result, or that of the writer that came first. */
  commitToolResult(key: string, inputHash: string, result: CallToolResult): Promise<CallToolResult>;
  /** Writes a segment that no call has made, such as a finished turn of a conversation; writing it again is harmless. */
  putSegment(parent: string | null, messages: Message[]): Promise<TranscriptRef>;
  /** Notes what an abandoned call cost, unless its reply is journalled. */
  recordSpent(key: string, usage: TokenUsage): Promise<void>;
  /** What the calls under these keys cost, replies and abandoned ones alike; unknown keys are left out. */
  spent(keys: string[]): Promise<Map<string, TokenUsage>>;
  /** All messages of a chain, oldest first. @throws if a segment is missing. */
  messages(segmentId: string): Promise<Message[]>;
  /** The messages of one segment alone. @throws if it is missing. */
  segment(segmentId: string): Promise<Message[]>;
  /** Stores a text under the hash of its content; storing it again is harmless. */
  putBlob(text: string): Promise<string>;
  /** @throws if there is no such blob. */
  blob(id: string): Promise<string>;
  /** Stores a report under its id. Returns what is there afterwards: this one, or that of the writer that came first. */
  putReport(report: StoredReport): Promise<StoredReport>;
  /** Undefined where there is none. */
  report(id: string): Promise<StoredReport | undefined>;
  /** At most so many reports, the newest first by `createdAt`. */
  reports(limit: number): Promise<StoredReport[]>;
  /** Forgets what an earlier run under this workflow id had; once this run has begun, again is harmless. */
  beginFiles(workflowId: string, runId: string): Promise<void>;
  /**
   * Gives a workflow a file, whose blobs are stored already. Returns what is there under its name afterwards: this one,
   * or the one that was there, unless a tool made both; then the newer takes its place.
   */
  putFile(workflowId: string, file: RunFile): Promise<RunFile>;
  /** Undefined where the workflow has no such file. */
  file(workflowId: string, name: string): Promise<RunFile | undefined>;
  /** All files of a workflow, in the order in which they came. */
  files(workflowId: string): Promise<RunFile[]>;
  close(): Promise<void>;
}
