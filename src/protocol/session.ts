import type { OneAgent, OneAgentConfigInput } from '../config/one-agent.ts';
import type { TeamConfigInput } from '../config/team.ts';
import type { EarlierMessage, HumanAnswer, PreparedTeam } from './orchestration.ts';
import type { PriceTable, Usage } from './usage.ts';

/** Input of the workflow `session`. */
export interface SessionInput {
  /** A configuration, or a file's name in the worker's configuration folder; the default is one agent without tools. */
  config?: TeamConfigInput | OneAgentConfigInput | string;
  history?: EarlierMessage[];
  /** With a text, the session takes this one turn and completes. Without, it takes turns by `handleText` until `close`. */
  text?: string;
}

/** The configuration of one agent, checked and completed. */
export interface PreparedAgent {
  agent: OneAgent;
  prices: PriceTable;
  /** What the person who started the session should know, such as keys without effect. */
  notices: string[];
}

/** The input, checked and completed. */
export type PreparedSession = { history: EarlierMessage[]; text?: string } & (
  ({ kind: 'team' } & PreparedTeam) | ({ kind: 'agent' } & PreparedAgent)
);

/** What the update `handleText` returns. */
export interface TurnResult {
  answer: string;
  /** The texts shown to the person in this turn, in order. */
  messages: string[];
  /** Number of the turn in its session, from 1. */
  turn: number;
}

/** Result of the workflow `session`. Answer, messages and outcome are the last turn's; without turns the answer is empty. */
export interface SessionResult {
  workflow: 'session';
  answer: string;
  messages: string[];
  /** `limit`: restarts or time were used up, and the turn delivered its best answer so far. */
  outcome: 'answered' | 'limit' | 'budget';
  turns: number;
  /** The questions that the person has answered in the session. */
  humanQa: HumanAnswer[];
  usage: Usage;
  /** How many events the session has had in all its runs. */
  events: number;
}
