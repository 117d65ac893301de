import type { TokenUsage } from './message.ts';

/** What model calls cost. Tokens are as the provider counts them; `inputTokens` includes the cached ones. */
export interface Figures {
  calls: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  /** US dollars; 0 for models without a known price. */
  costUsd: number;
  /** True when a provider did not count all of the tokens, and Reprise has estimated the others. */
  estimated?: boolean;
}

export const noFigures = (): Figures => ({
  calls: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
});

/** Adds what a call has used. @param cost in US dollars */
export function addUsage(figures: Figures, usage: TokenUsage, cost: number): void {
  figures.inputTokens += usage.inputTokens;
  figures.cachedInputTokens += usage.cachedInputTokens;
  figures.outputTokens += usage.outputTokens;
  figures.costUsd += cost;
  if (usage.estimated) figures.estimated = true;
}

/** A run's figures, in all and by agents; under `summaries` those of long conversations, under `searches` those of a model's. */
export interface Usage extends Figures {
  byAgent: Record<string, Figures>;
}

/** The limits of a configuration's `budget`. One that is absent does not exist. */
export interface Budget {
  calls?: number | undefined;
  tokens?: number | undefined;
  /** US dollars. */
  usd?: number | undefined;
  /** Of wall time since the run's start. */
  seconds?: number | undefined;
}

/** What limits a run: its budget, and its time. */
export interface RunLimits extends Budget {
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** The seconds of each attempt of a team, in which the time that a person is waited for does not count. */
  attemptSeconds?: number;
}

/** What all results have. */
export interface CommonResult {
  /** What did not go as planned, of a session in its last turn; empty if all did. */
  warnings: string[];
  /**
   * `byAgent` has a team's agents by their ids, or an agent's; `planner`, `critic` and `writer` of a research; `planner`,
   * `synthesis`, `validator` and each subtask by its id.
   */
  usage: Usage;
  /** How many events the query `events` has; of a session, how many it has had in all its runs. */
  events: number;
}

/** What all states have. */
export interface CommonState {
  usage: Usage | null;
  /** Absent until the input is checked. */
  limits?: RunLimits;
  /** How many messages from outside had no effect; absent if all had one. */
  ignored?: number;
}

/** US dollars per million tokens. */
interface Rates {
  input: number;
  cachedInput: number;
  output: number;
}

/** What a model's tokens cost. */
export interface Price extends Rates {
  /** The rates of all tokens of a request whose input has more than so many. */
  long?: Rates & { above: number };
}

/** Prices by the names of models. A model without a known price is not in it. */
export type PriceTable = Record<string, Price>;

/** What a run's memo holds, for lists of runs: unlike a query, it can be read where no worker runs. */
export interface RunMemo {
  /** The first 200 characters of the task, the idea, the problem, or a session's first text. */
  question?: string;
  /** What the run has spent; only once it has ended with a result. */
  spent?: Figures;
}
