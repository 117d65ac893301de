import type { AgentState } from './agent-state.ts';
import type { OrchestrationResult } from './orchestration.ts';
import type { ResearchResult, ResearchState } from './research.ts';
import type { SessionResult } from './session.ts';
import type { SolveResult, SolveState } from './plan-and-execute.ts';
import type { CommonState } from './usage.ts';

/** Payload of the signal `requestRestart`. */
export interface RestartRequest {
  reason: string;
  instructions: string;
}

/** A session is `idle` between two turns. */
export type OrchestrationPhase =
  | 'preparing'
  | 'answering'
  | 'voting'
  | 'deciding'
  | 'presenting'
  | 'evaluating'
  | 'done'
  | 'idle';

/** Result of the query `state` in an orchestration, and in a session with a team or with one agent. */
export interface TeamState extends CommonState {
  workflow: 'orchestration' | 'session';
  phase: OrchestrationPhase;
  /** 0 before the first attempt. */
  attempt: number;
  maxAttempts: number;
  agents: Array<{
    id: string;
    state: AgentState;
    answers: number;
    timedOut: boolean;
    /** Id of the agent that it has voted for in this round. */
    vote: string | null;
    /** How many files it has changed for its answer; absent if it has changed none. */
    files?: number;
  }>;
  /** Id of the agent whose answer won the vote in this attempt. */
  selectedAgent: string | null;
  restarts: OrchestrationResult['restarts'];
}

export type OrchestrationState = TeamState & { workflow: 'orchestration' };

export type SessionState = TeamState & { workflow: 'session' };

/** Result of the query `state`. The types differ in `workflow`. */
export type State = TeamState | ResearchState | SolveState;

/** The result of a run of any workflow type, told apart by `workflow`. */
export type RunResult = OrchestrationResult | ResearchResult | SessionResult | SolveResult;
