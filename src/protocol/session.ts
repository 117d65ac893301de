import type { OneAgent, OneAgentConfigInput } from '../config/one-agent.ts';
import type { TeamConfigInput } from '../config/team.ts';
import type { EarlierMessage, HumanAnswer, PreparedTeam } from './orchestration.ts';
import type { PriceTable, Usage } from './usage.ts';

/** Input of the workflow `session`. */
export interface SessionInput {
  /** A configuration, or the name of a file in the worker's configuration folder; absent: one agent without tools. */
  config?: TeamConfigInput | OneAgentConfigInput | string;
  history?: EarlierMessage[];
  /** With it the session takes this one turn and completes; without, it waits for `handleText` until `close`. */
  text?: string;
}

/** The configuration of one agent checked and completed. */
export interface PreparedAgent {
  agent: OneAgent;
  /** Prices of the model that it uses. */
  prices: PriceTable;
  /** What the person who started the session should know, such as keys without effect. */
  notices: string[];
}

/** The input checked and completed. Runs that were recorded before there was one agent have no `kind`: they are teams. */
export type PreparedSession = { history: EarlierMessage[]; text?: string } & (
  ({ kind: 'team' } & PreparedTeam) | ({ kind: 'agent' } & PreparedAgent)
);

/** What the update `handleText` returns. */
export interface TurnResult {
  answer: string;
  /** Texts sent to the user in this turn, in order. */
  messages: string[];
  /** Number of the turn in its session, from 1. */
  turn: number;
}

/** Result of the workflow `session`: of its last turn; without any turn the answer is empty. */
export interface SessionResult {
  workflow: 'session';
  answer: string;
  messages: string[];
  /** `limit`: the last turn delivered the best that it had when restarts or time were used up. */
  outcome: 'answered' | 'limit' | 'budget';
  turns: number;
  /** What the person has answered in the session. */
  humanQa: HumanAnswer[];
  usage: Usage;
  /** How many events the session has had, over all its runs. */
  events: number;
}
