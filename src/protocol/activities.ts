import type { Attachment, StoreAttachmentsInput } from './attachment.ts';
import type { BlobRef, Content, NewMessage, TokenUsage, ToolSpec, TranscriptRef } from './message.ts';
import type { CallModelInput, CallModelResult } from './model-call.ts';
import type { Notification } from './notify.ts';
import type { NotifyEntry } from './settings.ts';
import type { EarlierMessage } from './orchestration.ts';
import type { OpenedIssue, OpenIssueInput, PersistInput } from './research.ts';
import type { ReadPageResult, SearchInput, SearchResult } from './search.ts';
import type { OpenedOrchestration, OpenedResearch, OpenedSession, OpenedSolve } from './stored.ts';
import type { CallToolInput, CallToolResult, ListToolsInput, ListToolsResult } from './tools/tool.ts';
import type { ComparedTrees, ExportedTree, ImportedFolder, MergedTree } from './workspace.ts';

/**
 * What workflows ask of the world: the activities of every worker. Each fails with an `ApplicationFailure`, whose types are in
 * `errors.ts`; a result that the history cannot hold is one of type `ResultTooLarge`.
 */
export interface Activities {
  /**
   * The activities that workflows begin with. They check and complete the input, and put what all prompts of the run repeat
   * into the store. They fail with `InvalidInput` that names everything that is wrong.
   */
  prepareOrchestration(input: unknown): Promise<OpenedOrchestration>;
  prepareSession(input: unknown): Promise<OpenedSession>;
  prepareResearch(input: unknown): Promise<OpenedResearch>;
  prepareSolve(input: unknown): Promise<OpenedSolve>;

  callModel(input: CallModelInput): Promise<CallModelResult>;

  /** Loads and checks tools. Fails with `InvalidInput` when a source cannot be used. */
  listTools(input: ListToolsInput): Promise<ListToolsResult>;
  callTool(input: CallToolInput): Promise<CallToolResult>;
  /** The tools of a set. @param set the blob id that `listTools` gave; null for no tools */
  readTools(set: string | null): Promise<ToolSpec[]>;

  /** Asks the configured provider one query of a plan. */
  search(input: SearchInput): Promise<SearchResult>;
  /** Reads a page that a search has found. Many cannot be read, which is no failure. */
  readPage(input: { url: string }): Promise<ReadPageResult>;
  persistReport(input: PersistInput): Promise<{ reportId: string }>;
  openIssue(input: OpenIssueInput): Promise<OpenedIssue>;

  /**
   * Tells somebody of an event of the run that has started this workflow. Fails with `NotDelivered`, which is retryable where it
   * may pass.
   */
  sendWebhook(entry: NotifyEntry, notification: Notification): Promise<void>;

  /** Reads the files that come with a problem, and stores them for its workflow. */
  storeAttachments(input: StoreAttachmentsInput): Promise<Attachment[]>;

  /**
   * Takes folders of the worker's configuration folder over into the store. They stay as they are. A folder that is gone
   * counts as empty.
   *
   * @param seals of the folders, by which a worker knows that a configuration it trusts names them
   * @returns one for each folder, in their order
   */
  importFolders(folders: string[], seals?: Record<string, string>): Promise<ImportedFolder[]>;
  /**
   * A tree in figures, and in what it differs from an earlier one.
   *
   * @param longestDiff about how long a text that says it line by line may be, in characters; absent: there is none
   */
  compareFiles(from: string | null, to: string | null, longestDiff?: number): Promise<ComparedTrees>;
  /** Takes what was changed between `base` and `theirs` over into `ours`; where that has changed too, `theirs` wins. */
  mergeFiles(base: string | null, ours: string | null, theirs: string | null): Promise<MergedTree>;
  /**
   * Writes trees into a folder of the run's own below one of the worker's configuration folder, in place of what an
   * earlier try, or an earlier run of the same id, has written there.
   *
   * @param part a folder in the run's own; empty for the whole of it
   * @param seal of the folder, as for `importFolders`
   * @returns the folder that they are in, relative to the configuration folder
   */
  exportFiles(folder: string, part: string, exported: ExportedTree[], seal?: string): Promise<string>;

  /** Stores texts, among them tool sets as JSON. Each may consist of parts that are stored already. @returns their blob ids in order */
  storeBlobs(texts: Content[]): Promise<Array<BlobRef['blob']>>;
  /** Adds messages that no model call has made, such as a finished turn, to a conversation. */
  putMessages(parent: TranscriptRef | null, messages: NewMessage[]): Promise<TranscriptRef>;
  /** The newest messages of a conversation, as many as an orchestrator is given, without tool calls and their results. */
  readMessages(transcript: TranscriptRef): Promise<EarlierMessage[]>;

  /** Ends where the worker that runs it has a variable, or a login; until then it fails with `MissingKey`, retryable. */
  awaitKey(input: { variable: string }): Promise<void>;
  /** Says why this worker does not run a custom orchestrator, and which ones it does run. */
  findOrchestrator(file: string): Promise<string>;
  /**
   * Looks up what calls of this run that gave no reply have cost, by the journal or by an estimate. Calls that never
   * reached a model, or whose worker died, are left out.
   *
   * @param abandoned calls that may be under way still, so that their cost may be yet to come
   * @param over calls that have ended
   */
  settleAbandonedCalls(abandoned: string[], over: string[]): Promise<Array<[activityId: string, usage: TokenUsage]>>;
}
