import type { Outcome } from './orchestration.ts';

/** What an agent is doing, as `state` and the live view show it. */
export type AgentState = 'waiting' | 'answering' | 'answered' | 'voting' | 'voted' | 'out' | 'timed out';

/** Who asked for a restart. */
export type Requester = 'final agent' | 'person';

/** What happens in a run, one entry for each thing that a person may want to see. */
export type RunEventBody =
  | { type: 'started'; task: string; agents: string[] }
  | { type: 'notice'; text: string }
  | { type: 'warning'; text: string; agent?: string }
  | { type: 'attempt'; maxAttempts: number; restart?: { reason: string; instructions: string } }
  | { type: 'thinking'; agent: string; purpose: string; activityId: string; model: string }
  | { type: 'answer'; agent: string; name: string; number: number; content: string }
  | { type: 'refused'; agent: string; text: string }
  | { type: 'vote'; agent: string; for: string; reason: string }
  | { type: 'voting'; round: number }
  | { type: 'out'; agent: string; timedOut: boolean; reason: string }
  | { type: 'selected'; agent: string; votes: Record<string, number> }
  | { type: 'presenting'; agent: string }
  | { type: 'presented'; agent: string; content: string }
  | { type: 'evaluating'; agent: string }
  | {
      type: 'decision';
      agent: string;
      decision: 'submit' | 'restart';
      afterPresenting: boolean;
      reason?: string;
      instructions?: string;
    }
  | { type: 'restart'; by: Requester; from: number; to: number; reason: string; instructions: string }
  | { type: 'restart refused'; by: Requester; reason: string }
  | { type: 'stopped'; why: 'timeout' | 'budget' }
  /** The last event of a run; no other one is final. */
  | { type: 'final'; outcome: Outcome; agent: string; answer: string };

/**
 * An event of the `events` query. `seq` counts from 1 without gaps; `at` is an ISO 8601 time;
 * `attempt` is 0 before the first attempt.
 */
export type RunEvent = { seq: number; at: string; attempt: number } & RunEventBody;
