import type { AttachmentInput } from './attachment.ts';
import type { Permissions } from './tools/permissions.ts';
import type { CommonResult, PriceTable } from './usage.ts';
import type { AttemptFiles, RunFiles, StartFolders } from './workspace.ts';
import type { NotifyEntry, Team } from './settings.ts';

/** A message of the conversation before the task. */
export interface EarlierMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** A question that a person has answered in this session. */
export interface HumanAnswer {
  question: string;
  answer: string;
}

/** What all inputs may have. */
export interface CommonInput {
  /** The files that come with it. */
  attachments?: AttachmentInput[];
  /** The signature of `REPRISE_HOME`'s owner, which the library and the commands add where a worker asks for one. */
  signature?: string;
}

/** Input of the workflow `orchestration`; only `task` is needed. */
export interface OrchestrationInput extends CommonInput {
  task: string;
  /** A team's configuration, or a file's name in the worker's configuration folder; the default is its default team. */
  config?: object | string;
  history?: EarlierMessage[];
  humanQa?: HumanAnswer[];
}

/** What the worker that has prepared a run's input tells it. */
export interface Prepared {
  prices: PriceTable;
  /** What the person who started the run should know, such as keys without effect. */
  notices: string[];
  /** What the result is to name, such as models without a known price. */
  warnings: string[];
  /** Whether the namespace has the search attribute `RepriseQuestion`; absent where it does not. */
  hasQuestion?: true;
  permissions: Permissions;
  /** Who is told of what waits for a person, and of the end; absent for nobody. */
  notify?: NotifyEntry[];
  /** The folders with which workspaces begin; absent where there are none. */
  folders?: StartFolders;
  /** Of the attachments named by paths; absent where there are none, or the worker's permissions allow them. */
  attachmentsSeal?: string;
  /** The seals of these, by their paths; absent where a worker's permissions allow them. */
  folderSeals?: Record<string, string>;
}

/** A team's configuration, checked and completed: every agent has a backend, and every default is filled in. */
export interface PreparedTeam extends Prepared {
  team: Team;
}

/** The input of `orchestration`, checked and completed. */
export interface PreparedOrchestration extends PreparedTeam {
  task: string;
  history: EarlierMessage[];
  humanQa: HumanAnswer[];
}

/**
 * How an orchestration ended. `restart_limit`: the final agent wanted another attempt, but none was left.
 * `timeout`, `budget`: time or budget was used up, and the best answer so far is delivered. `degraded`: the answer was
 * submitted, but not all went as planned, and `warnings` says what. `cancelled`: somebody cancelled the run, and the best answer
 * so far is delivered, or a text in parentheses which says that there was none.
 */
export type Outcome = 'submitted' | 'restart_limit' | 'timeout' | 'budget' | 'degraded' | 'cancelled';

export interface Vote {
  /** Configured id of the voter. */
  voter: string;
  /** Configured id of the agent whose answer is voted for. */
  agent: string;
  reason: string;
  /** The attempt that this answer was given in, where it is an earlier one. */
  attempt?: number;
}

/** Result of the workflow `orchestration`. */
export interface OrchestrationResult extends CommonResult {
  workflow: 'orchestration';
  answer: string;
  /** Configured id of the agent whose answer it is; empty if a cancelled run had none. */
  finalAgent: string;
  attempts: number;
  /** One entry for each restart: the attempt that was not good enough, and why. */
  restarts: Array<{ attempt: number; reason: string; instructions: string }>;
  /** The votes of the last attempt, by configured ids. */
  votes: Vote[];
  outcome: Outcome;
  humanQa: HumanAnswer[];
  /** The files that belong to the answer; absent if its agent has no workspace. */
  workspace?: RunFiles;
  /** The files of all attempts, which stay in the store; absent if no agent has a workspace. */
  snapshots?: AttemptFiles[];
}
