import type { PlanConfigInput, PlanSettings } from '../config/plan.ts';
import type { AgentState } from './agent-state.ts';
import type { Attachment, AttachmentInput } from './attachment.ts';
import type { PriceTable, Usage } from './usage.ts';

/** Input of the workflow `planAndExecute`; only `problem` is needed. */
export interface SolveInput {
  problem: string;
  attachments?: AttachmentInput[];
  /** A configuration of a plan, or the name of a file in the worker's configuration folder; absent: the defaults. */
  config?: PlanConfigInput | string;
}

/** The input checked and completed; attachments stay where they are, since their content may be large. */
export interface PreparedSolve {
  problem: string;
  settings: PlanSettings;
  prices: PriceTable;
  notices: string[];
}

/** What the problem asks for, as the planner says before it plans. */
export interface QueryAnalysis {
  /** What the answer must hold, each in a few words. */
  requirements: string[];
  /** The form of the answer: `a number`, `one name`. */
  answerFormat: string;
}

/** A subtask as the planner gives it. */
export interface PlannedSubtask {
  id: string;
  description: string;
  dependsOn: string[];
  /** Names of the attachments that it needs; absent: all. */
  attachments?: string[];
}

export type SubtaskStatus = 'pending' | 'running' | 'completed' | 'failed';

/** A subtask of a run, as result and state show it. */
export interface SubtaskReport {
  id: string;
  description: string;
  dependsOn: string[];
  status: SubtaskStatus;
  /** How often it was really run. */
  executions: number;
  result?: string;
  error?: string;
}

/** What a validator says of the results. */
export interface Validation {
  isComplete: boolean;
  missingRequirements: string[];
  quality: 'low' | 'medium' | 'high';
  warnings: string[];
}

/** Keys of the document's `get_state_summary`. */
export interface StateSummary {
  subtasks_total: number;
  subtasks_completed: number;
  subtasks_failed: number;
  subtasks_pending: number;
  /** Subtasks that have failed on a retry, once each. */
  dead_ends: number;
}

/** `partial`: the rounds are used up, and something is still missing; `budget`: the best there was when it was spent. */
export type SolveOutcome = 'complete' | 'partial' | 'budget';

/** Result of the workflow `planAndExecute`. */
export interface SolveResult {
  workflow: 'planAndExecute';
  answer: string;
  outcome: SolveOutcome;
  subtasks: SubtaskReport[];
  /** Executions of all subtasks together. */
  executions: number;
  /** Rounds of repetition. */
  retries: number;
  stateSummary: StateSummary;
  /** Of the last answer. */
  validation: Validation | null;
  usage: Usage;
  events: number;
}

export type SolvePhase = 'preparing' | 'analysing' | 'planning' | 'executing' | 'synthesising' | 'validating' | 'done';

/** Answer of the query `state`; the names in snake case are the document's. */
export interface SolveState extends StateSummary {
  workflow: 'planAndExecute';
  phase: SolvePhase;
  /** Ids of the failed subtasks, in the plan's order. */
  get_failed_subtasks: string[];
  /** Rounds of repetition so far, and how many there may be. */
  retries: number;
  max_retries: number;
  subtasks: SubtaskReport[];
  attachments: Array<Pick<Attachment, 'name' | 'kind' | 'bytes' | 'note'>>;
  /** The planner, and a worker for each subtask that runs. */
  agents: Array<{ id: string; state: AgentState }>;
  usage: Usage | null;
}
