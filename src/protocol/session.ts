import type { CommonInput, EarlierMessage, HumanAnswer, Prepared, PreparedTeam } from './orchestration.ts';
import type { CommonResult } from './usage.ts';
import type { RunFiles } from './workspace.ts';
import type { OneAgent } from './settings.ts';

/** Input of the workflow `session`. */
export interface SessionInput extends CommonInput {
  /** A configuration, or a file's name in the worker's configuration folder; the default is one agent without tools. */
  config?: object | string;
  history?: EarlierMessage[];
  /** With a text, the session takes this one turn and completes. Without, it takes turns by `handleText` until `close`. */
  text?: string;
}

/** The configuration of one agent, checked and completed. */
export interface PreparedAgent extends Prepared {
  agent: OneAgent;
}

/** The input, checked and completed. */
export type PreparedSession = { history: EarlierMessage[]; text?: string } & (
  | ({ kind: 'team' } & PreparedTeam)
  | ({ kind: 'agent' } & PreparedAgent)
);

/** What the update `handleText` returns. */
export interface TurnResult {
  answer: string;
  /** The texts shown to the person in this turn, in order. */
  messages: string[];
  /** Number of the turn in its session, from 1. */
  turn: number;
  /** What did not go as planned in this turn; empty if all did. */
  warnings: string[];
  /** The session's files, and what this turn has changed in them; absent if there is no workspace. */
  workspace?: RunFiles;
}

/** Result of the workflow `session`. Answer, messages, outcome and warnings are the last turn's; without turns the answer is empty. */
export interface SessionResult extends CommonResult {
  workflow: 'session';
  answer: string;
  messages: string[];
  /**
   * `limit`: restarts, time or the tokens of a reply were used up, and the turn delivered its best answer so far. `cancelled`:
   * somebody cancelled the session, in the middle of a turn or between two.
   */
  outcome: 'answered' | 'limit' | 'budget' | 'cancelled';
  turns: number;
  /** The session's files, and what the last turn has changed in them; absent if there is no workspace. */
  workspace?: RunFiles;
  /** The questions that the person has answered in the session. */
  humanQa: HumanAnswer[];
}
