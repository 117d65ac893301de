import type { ResearchConfigInput, ResearchSettings } from '../config/research.ts';
import type { AgentState } from './agent-state.ts';
import type { Work } from './search.ts';
import type { PriceTable, Usage } from './usage.ts';

/** Input of the workflow `research`; only `idea` is needed. */
export interface ResearchInput {
  idea: string;
  /** A configuration of research, or the name of a file in the worker's configuration folder; absent: the defaults. */
  config?: ResearchConfigInput | string;
}

/** The input checked and completed. */
export interface PreparedResearch {
  idea: string;
  settings: ResearchSettings;
  /** Prices of the models that it uses. */
  prices: PriceTable;
  /** What the person who started the run should know. */
  notices: string[];
}

/** A plan, as the model gives it. */
export interface Plan {
  /** The idea in one sentence. */
  idea: string;
  /** How it is to be carried out and examined. */
  approach: string;
  /** What to look for, each in a few words. */
  queries: string[];
}

/** Why planning began anew. */
export type RestartKind = 'prior_art' | 'viability' | 'no_score' | 'person';

/** What one planning iteration came to. */
export interface Iteration {
  /** From 1. */
  iteration: number;
  idea: string;
  /** 0 to 100; null where the critic gave none, or was not asked. */
  score: number | null;
  /** The band of the score by its name; `no score` where the critic gave none; null where it was not asked. */
  verdict: string | null;
  /** Why the plan was drawn anew after it; null after the last one. */
  restartReason: string | null;
  restartKind: RestartKind | null;
  /** Similar works that were found. */
  similar: number;
  /** What it took, from its plan to its score. */
  spent: { calls: number; tokens: number; costUsd: number };
}

export interface Report {
  title: string;
  summary: string;
  sections: Array<{ heading: string; text: string }>;
  /** What it rests on; `[2]` in its texts is the second of them. */
  sources: Work[];
}

/**
 * How a research run ended. `viable`: by its score, or since a person accepted it; `iteration_limit`: the best iteration was
 * not good enough and none was left; `stopped`: by a person; `budget`: with what there was when the budget was spent.
 */
export type ResearchOutcome = 'viable' | 'iteration_limit' | 'stopped' | 'budget';

/** Result of the workflow `research`. */
export interface ResearchResult {
  workflow: 'research';
  report: Report;
  iterations: Iteration[];
  outcome: ResearchOutcome;
  /** Id of the report in the store. */
  reportId: string;
  /** Address of the GitHub issue, where one was wanted and could be made. */
  issueUrl?: string;
  /** What is missing, in words: searches that failed, an issue that could not be made. */
  gaps: string[];
  usage: Usage;
  /** How many events the query `events` has. */
  events: number;
}

/** What a research run is doing. */
export type ResearchPhase =
  | 'preparing'
  | 'planning'
  | 'searching'
  | 'criticising'
  | 'waiting_for_approval'
  | 'synthesising'
  | 'persisting'
  | 'opening_issue'
  | 'done';

/** The roles of a research run, as events, figures and summaries name them. */
export type ResearchRole = 'planner' | 'critic' | 'writer';

/** Answer of a research run's query `state`. The four fields in snake case are the document's `ResearchState`. */
export interface ResearchState {
  workflow: 'research';
  phase: ResearchPhase;
  /** Of the last criticism; null before the first, and where it gave no score. */
  criticism_score: number | null;
  /** Whether the plan is about to be drawn anew; false again once the planner has been told why. */
  should_restart_planning: boolean;
  restart_reason: string | null;
  /** From 1. */
  planning_iteration: number;
  max_planning_iterations: number;
  /** The idea as it stands. */
  idea: string | null;
  /** Iterations that have come to an end. */
  iterations: Iteration[];
  agents: Array<{ id: ResearchRole; state: AgentState }>;
  usage: Usage | null;
}

/** Payload of the signal `decide`: a person ends the loop. */
export interface OperatorDecision {
  /** `accept`: on to the synthesis; `stop`: no further model call. */
  action: 'accept' | 'stop';
  note?: string;
}

/** A finished research as the store keeps it. */
export interface StoredReport {
  id: string;
  workflowId: string;
  /** The idea as it was brought. */
  idea: string;
  outcome: ResearchOutcome;
  iterations: Iteration[];
  report: Report;
  /** The works that were found to be similar to the idea in any iteration. */
  similar: Work[];
  /** ISO 8601. */
  createdAt: string;
}

/** Input of the activity `persistReport`. */
export type PersistInput = Omit<StoredReport, 'id' | 'workflowId' | 'createdAt'>;

/** Input of the activity `openIssue`. */
export interface OpenIssueInput {
  reportId: string;
  /** `owner/name` */
  repo: string;
  labels: string[];
}

/** `created`: by this call; else it was there already. */
export interface OpenedIssue {
  url: string;
  created: boolean;
}
