import type { AgentState } from './agent-state.ts';
import type { Attachment } from './attachment.ts';
import type { TextRef } from './message.ts';
import type { CommonInput, Prepared } from './orchestration.ts';
import type { CommonResult, CommonState } from './usage.ts';
import type { RunFiles } from './workspace.ts';
import type { PlanSettings } from './settings.ts';

/** Input of the workflow `planAndExecute`; only `problem` is needed. */
export interface SolveInput extends CommonInput {
  problem: string;
  /** A configuration, or the name of a file in the worker's configuration folder. Every setting has a default. */
  config?: object | string;
}

/** The input, checked and completed. It leaves out the attachments, whose content may be large. */
export interface PreparedSolve extends Prepared {
  problem: string;
  settings: PlanSettings;
}

/** What the problem asks for, as the planner states it before it plans. */
export interface QueryAnalysis {
  /** What the answer must contain, each in a few words. */
  requirements: string[];
  /** The form of the answer, such as `a number` or `one name`. */
  answerFormat: string;
}

/** A subtask as the planner writes it. */
export interface PlannedSubtask {
  id: string;
  description: string;
  dependsOn: string[];
  /** Names of the attachments that it needs; the default is all. */
  attachments?: string[];
  /** Ids of the failed subtasks whose place it takes. */
  replaces?: string[];
}

export type SubtaskStatus = 'pending' | 'running' | 'completed' | 'failed';

/** A subtask in a run's result and state. */
export interface SubtaskReport {
  id: string;
  description: string;
  dependsOn: string[];
  status: SubtaskStatus;
  /** How often it was run. */
  executions: number;
  /** The round in which it was completed, from 1; absent before that. */
  completedIn?: number;
  /** In a run's result and state it may be cut; it then ends with a line that says so. */
  result?: string;
  /** Where the store holds the result; only where it is cut. */
  resultRef?: TextRef;
  error?: string;
  /** Ids of the subtasks that have taken its place. It stays failed, but is not needed any more. */
  replacedBy?: string[];
}

/** What the validator says about the results. */
export interface Validation {
  isComplete: boolean;
  missingRequirements: string[];
  quality: 'low' | 'medium' | 'high';
  warnings: string[];
}

/** The keys are those of `get_state_summary` in the document "Retry Optimization". */
export interface StateSummary {
  subtasks_total: number;
  subtasks_completed: number;
  subtasks_failed: number;
  subtasks_pending: number;
  /** Subtasks that have failed on a retry; each counts once. */
  dead_ends: number;
}

/**
 * `complete`: the validator has named nothing that is missing, and no subtask that is needed has failed. `partial`:
 * something is missing, and there is no round left or no way on. `unverified`: no subtask has failed, but no validator has
 * said whether the answer is complete. `budget`: the budget was spent before the end. `cancelled`: somebody cancelled the run;
 * what was under way keeps the status `running`.
 */
export type SolveOutcome = 'complete' | 'partial' | 'unverified' | 'budget' | 'cancelled';

/** Result of the workflow `planAndExecute`. */
export interface SolveResult extends CommonResult {
  workflow: 'planAndExecute';
  answer: string;
  outcome: SolveOutcome;
  subtasks: SubtaskReport[];
  /** Executions of all subtasks together. */
  executions: number;
  /** Rounds after the first. */
  retries: number;
  stateSummary: StateSummary;
  /** The validation of the last answer; null when there was none. */
  validation: Validation | null;
  /** The files that completed subtasks have left; absent if their agents have no workspace. */
  workspace?: RunFiles;
}

export type SolvePhase = 'preparing' | 'analysing' | 'planning' | 'executing' | 'synthesising' | 'validating' | 'done';

export type ShownSubtask = Omit<SubtaskReport, 'result'>;

/** Result of the query `state`. The names in snake case are those of the document "Retry Optimization". */
export interface SolveState extends StateSummary, CommonState {
  workflow: 'planAndExecute';
  phase: SolvePhase;
  /** Ids of the failed subtasks, in the plan's order. */
  get_failed_subtasks: string[];
  /** Rounds after the first so far, and how many there may be. */
  retries: number;
  max_retries: number;
  /** What they have come to is in the events: the state is asked for again and again. */
  subtasks: ShownSubtask[];
  attachments: Array<Pick<Attachment, 'name' | 'kind' | 'bytes' | 'note'>>;
  /** The planner, and one agent for each subtask that runs. */
  agents: Array<{ id: string; state: AgentState }>;
}
