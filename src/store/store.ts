import type { AttachmentKind } from '../protocol/attachment.ts';
import type { Message, StoredMessage, TokenUsage, TranscriptRef } from '../protocol/message.ts';
import type { CallModelResult } from '../protocol/model-call.ts';
import type { StoredReport } from '../protocol/research.ts';
import type { CallToolResult } from '../protocol/tools/tool.ts';

/** A finished model call. */
export interface ReplyCommit {
  /** The journal key `runId/activityId`, the same for all attempts of one call. */
  key: string;
  /** That of the call's input. An entry under the same key with another hash does not count. */
  inputHash: string;
  /** The segment that this one follows; null for a first one. */
  parent: string | null;
  /** The new ones that the call sent, then the reply. */
  messages: StoredMessage[];
  result: Omit<CallModelResult, 'transcript'>;
}

/** What a try of a model call has cost that brought no reply. */
export interface Try {
  /** Temporal's number of the try, from 1. */
  attempt: number;
  usage: TokenUsage;
  /** Whether the try itself failed, rather than being cancelled or dying with its worker. */
  failed: boolean;
}

/** A file of a run, which came with its problem or was made by a tool. */
export interface RunFile {
  /** Unique in its run. */
  name: string;
  kind: AttachmentKind;
  mediaType: string;
  bytes: number;
  /** The blob id of its text, if it has one that can be read. */
  text?: string;
  /** The blob id of its image in base64. */
  image?: string;
  /** Why the file, or a part of it, cannot be read. */
  note?: string;
  /** The object id of its bytes. */
  content: string;
  from: 'attachment' | 'tool';
}

/** How far a try of a call has come that consists of several requests to a model. */
export interface Checkpoint {
  /** Temporal's number of the try. */
  attempt: number;
  usage: TokenUsage;
  /** The object id of the conversation so far, if there is one. */
  session: string | null;
  /** The id of the tree of files as they were then. */
  tree: string | null;
}

/** Rates that all workers of a store share, each under an id. */
export interface SharedRates {
  /**
   * Takes a part of a rate.
   *
   * @param cost how long the rate takes to let it through, in milliseconds; below 0 gives back what was not used
   * @param longest how long what was taken before can keep anybody waiting, in milliseconds
   * @returns after how many milliseconds all that was taken before is through
   */
  take(id: string, cost: number, longest: number): Promise<number>;
  /**
   * Lets nothing through for some milliseconds, unless it is longer already. A pause that is further ahead than `longest` was
   * written by a wrong clock, and holds nobody.
   */
  pause(id: string, milliseconds: number, longest: number): Promise<void>;
  /** The rates that are paused now, with the milliseconds for which they are. */
  paused(longest: number): Promise<Map<string, number>>;
}

/** What a call has written from a place on, in one of its tries. */
export interface LivePiece {
  /** Temporal's number of the try, from 1. */
  attempt: number;
  /** Of the piece's first character, in the whole text. */
  offset: number;
  text: string;
}

/** The texts that calls are writing, by the keys of their journal, for those who look on. */
export interface LiveTexts {
  /** Adds pieces, and forgets texts up to a try: those whose calls have ended. */
  write(
    pieces: ReadonlyArray<LivePiece & { key: string; workflowId: string }>,
    ended: ReadonlyArray<{ key: string; attempt: number }>,
  ): Promise<void>;
  /** The pieces of a try from a place on where one begins, and those of later tries, in their order. */
  read(key: string, attempt: number, offset: number): Promise<LivePiece[]>;
}

/**
 * Keeps transcripts, blobs, results, reports, files, and the journal of replies and tool results. Only a file that a tool made is
 * ever changed in place. The ids of segments and blobs are hashes of their content, and of two writers of one report,
 * attachment or journal key the first one wins.
 */
export interface Store {
  readonly rates: SharedRates;
  readonly liveTexts: LiveTexts;
  /** The journalled result of an earlier attempt of a model call with the same input; undefined if there is none. */
  findReply(key: string, inputHash: string): Promise<CallModelResult | undefined>;
  /** Writes a segment and its journal entry in one transaction. @returns this result, or that of the writer that came first */
  commitReply(commit: ReplyCommit): Promise<CallModelResult>;
  /** Remembers how far a call has come, in place of what was remembered before. Its reply's commit forgets it. */
  putCheckpoint(key: string, inputHash: string, checkpoint: Checkpoint): Promise<void>;
  /** How far an earlier attempt of a call with the same input has come; undefined if that is not known. */
  checkpoint(key: string, inputHash: string): Promise<Checkpoint | undefined>;
  /** The journalled result of an earlier attempt of a tool call with the same input; undefined if there is none. */
  findToolResult(key: string, inputHash: string): Promise<CallToolResult | undefined>;
  /** Journals the result of a tool call. @returns this result, or that of the writer that came first */
  commitToolResult(key: string, inputHash: string, result: CallToolResult): Promise<CallToolResult>;
  /** Writes a segment that no call has made, such as a finished turn of a conversation. It may be written repeatedly. */
  putSegment(parent: string | null, messages: StoredMessage[]): Promise<TranscriptRef>;
  /** Records what a try of a call has cost that brought no reply. Of two records of one try the first one stays. */
  recordTry(key: string, tried: Try): Promise<void>;
  /** The recorded tries of a call, in their order. */
  tries(key: string): Promise<Try[]>;
  /** What calls have cost: as the journalled reply says, else all recorded tries together. Unknown keys are left out. */
  spent(keys: string[]): Promise<Map<string, TokenUsage>>;
  /** All messages of the chain that ends with a segment, oldest first. @throws `Error` if a segment is missing */
  messages(segmentId: string): Promise<Message[]>;
  /** The messages of one segment alone, as it holds them. @throws `Error` if it is missing */
  segment(segmentId: string): Promise<StoredMessage[]>;
  /** Stores a text. It may be stored repeatedly. @returns its id, which is the hash of its content */
  putBlob(text: string): Promise<string>;
  /** @throws `Error` if there is no such blob */
  blob(id: string): Promise<string>;
  /** Stores contents, in their order. They may be stored repeatedly. @returns their ids, which are their SHA-256 hashes */
  putObjects(contents: readonly Uint8Array[]): Promise<string[]>;
  /** @throws `Error` if there is no such object */
  object(id: string): Promise<Uint8Array>;
  /**
   * Those of some objects that the store does not have, or, in an activity, that its workflow has not stored itself, by which
   * `prune` would not know that the workflow needs them. Each once.
   */
  missingObjects(ids: readonly string[]): Promise<string[]>;
  /** Remembers a tool's result, which is a blob. @returns a short id, one for each result of the workflow's agent */
  putResult(workflowId: string, agent: string, blob: string): Promise<string>;
  /** The blob id of a result. */
  result(workflowId: string, agent: string, id: string): Promise<string | undefined>;
  /** Stores a report under its id. @returns this report, or that of the writer that came first */
  putReport(report: StoredReport): Promise<StoredReport>;
  report(id: string): Promise<StoredReport | undefined>;
  /** The newest reports by `createdAt`, newest first. */
  reports(limit: number): Promise<StoredReport[]>;
  /** Forgets the files of an earlier run under this workflow id. Further calls for the same run do nothing. */
  beginFiles(workflowId: string, runId: string): Promise<void>;
  /**
   * Adds a file whose blobs are stored already. One that a tool made replaces one of the same name that a tool made;
   * otherwise the earlier one stays. @returns the file that has the name afterwards
   */
  putFile(workflowId: string, file: RunFile): Promise<RunFile>;
  file(workflowId: string, name: string): Promise<RunFile | undefined>;
  /** In the order in which they were added. */
  files(workflowId: string): Promise<RunFile[]>;
  /** A random value of 32 bytes in base64, made when it is first asked for, and the same for all workers of the store. */
  secret(name: string): Promise<string>;
  secretNames(): Promise<string[]>;
  /** The random id that the store was made with, in 16 hexadecimal digits, by which it is told from another one. */
  identity(): Promise<string>;
  /**
   * Remembers that workers of a namespace use the store. `prune` removes nothing unless it can see the runs of all of them.
   *
   * @param id Temporal's id of the namespace, which no other namespace of any server has
   */
  joinNamespace(id: string, name: string): Promise<void>;
  close(): Promise<void>;
}

export function sumOfUsage(usages: TokenUsage[]): TokenUsage {
  const sum = (each: (usage: TokenUsage) => number): number => usages.reduce((all, usage) => all + each(usage), 0);
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    cachedInputTokens: sum(({ cachedInputTokens }) => cachedInputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    ...(usages.some(({ costUsd }) => costUsd !== undefined) && { costUsd: sum(({ costUsd = 0 }) => costUsd) }),
    ...(usages.some(({ estimated }) => estimated) && { estimated: true }),
  };
}
