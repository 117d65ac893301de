import type { AgentState } from './agent-state.ts';
import type { Work } from './search.ts';
import type { CommonInput, Prepared } from './orchestration.ts';
import type { CommonResult, CommonState } from './usage.ts';
import type { ResearchSettings } from './settings.ts';

/** Input of the workflow `research`; only `idea` is needed. */
export interface ResearchInput extends CommonInput {
  idea: string;
  /** A configuration, or the name of a file in the worker's configuration folder. Every setting has a default. */
  config?: object | string;
}

/** The input, checked and completed. */
export interface PreparedResearch extends Prepared {
  idea: string;
  settings: ResearchSettings;
}

/** A plan as the planner writes it. */
export interface Plan {
  /** The idea in one sentence. */
  idea: string;
  /** How the idea is to be carried out and tested. */
  approach: string;
  /** What to search for, each in a few words. */
  queries: string[];
}

/**
 * Why planning began anew. `goal`: the plan had left what the user asked for. `no_material`: its searches found nothing.
 */
export type RestartKind = 'prior_art' | 'goal' | 'viability' | 'no_score' | 'no_material' | 'person';

/** All of them: an object, so that the compiler asks for each. */
const kinds: Record<RestartKind, true> = {
  viability: true,
  prior_art: true,
  goal: true,
  no_score: true,
  no_material: true,
  person: true,
};
export const restartKinds = Object.keys(kinds) as RestartKind[];

/** The record of one planning iteration. */
export interface Iteration {
  /** From 1. */
  iteration: number;
  idea: string;
  /** 0 to 100; null when the critic gave none, was not asked, or has found too much prior art. */
  score: number | null;
  /** The name of the score's band; `no score` when the critic gave none, null when it was not asked. */
  verdict: string | null;
  /** Why another iteration followed; null for the last one. */
  restartReason: string | null;
  restartKind: RestartKind | null;
  /** How many similar works were found; null when nobody has said, such as a critic that writes free text. */
  similar: number | null;
  /** What the iteration cost, from its plan to its score. */
  spent: { calls: number; tokens: number; costUsd: number };
}

export interface Report {
  title: string;
  summary: string;
  sections: Array<{ heading: string; text: string }>;
  /** What the report cites: `[2]` in its texts is the second source. */
  sources: Work[];
}

/**
 * How a research run ended. `viable`: the score was good enough, or a person accepted the plan. `iteration_limit`: no
 * iteration was good enough, and none is left, also where a person has then approved the best one. `no_material`: no search has found anything to judge a plan by. `stopped`:
 * a person stopped it. `budget`: the budget was spent before the end. `degraded`: the score was good enough, but not all
 * went as planned, and `warnings` says what. `cancelled`: somebody cancelled the run before its report was written.
 */
export type ResearchOutcome =
  | 'viable'
  | 'iteration_limit'
  | 'no_material'
  | 'stopped'
  | 'budget'
  | 'degraded'
  | 'cancelled';

/** Result of the workflow `research`. */
export interface ResearchResult extends CommonResult {
  workflow: 'research';
  report: Report;
  iterations: Iteration[];
  outcome: ResearchOutcome;
  /** Its id in the store; empty if it could not be stored. */
  reportId: string;
  /** URL of the GitHub issue; absent when none was wanted or it could not be opened. */
  issueUrl?: string;
  /** What the report goes without, in words, such as searches that failed. */
  gaps: string[];
}

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

/** The agents of a research run, as events and usage name them. */
export type ResearchRole = 'planner' | 'critic' | 'writer';

/**
 * Result of the query `state`. The names in snake case are those of `ResearchState` in the document "Conditional Restart
 * Logic".
 */
export interface ResearchState extends CommonState {
  workflow: 'research';
  phase: ResearchPhase;
  /** The last criticism's score; null before the first criticism, and when it gave none. */
  criticism_score: number | null;
  /** Whether another plan is to be made; false again once the planner has been told why. */
  should_restart_planning: boolean;
  restart_reason: string | null;
  /** From 1. */
  planning_iteration: number;
  max_planning_iterations: number;
  /** The idea as the last plan words it. */
  idea: string | null;
  /** The iterations that have ended. */
  iterations: Iteration[];
  agents: Array<{ id: ResearchRole; state: AgentState }>;
}

/** Payload of the signal `decide`: a person ends the loop. */
export interface OperatorDecision {
  /** `accept`: the report is written now. `stop`: no further model call is made. */
  action: 'accept' | 'stop';
  note?: string;
}

/** A finished research run, as the store keeps it. */
export interface StoredReport {
  id: string;
  workflowId: string;
  /** The idea as the run was given it. */
  idea: string;
  outcome: ResearchOutcome;
  iterations: Iteration[];
  report: Report;
  /** That any iteration's critic found to be similar to its idea. */
  similar: Work[];
  /** ISO 8601 time. */
  createdAt: string;
}

export type PersistInput = Omit<StoredReport, 'id' | 'workflowId' | 'createdAt'>;

export interface OpenIssueInput {
  reportId: string;
  /** `owner/name`. */
  repo: string;
  labels: string[];
  /** By which a worker knows that a configuration it trusts names the repository. */
  seal?: string | undefined;
}

/** `created` is false when the issue was there already. */
export interface OpenedIssue {
  url: string;
  created: boolean;
}
