/** What model calls cost. Tokens are as the provider counts them; `inputTokens` includes the cached ones. */
export interface Figures {
  calls: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  /** US dollars; 0 for models without a known price. */
  costUsd: number;
}

/** A run's figures, in all and by the ids of agents. */
export interface Usage extends Figures {
  byAgent: Record<string, Figures>;
}

/** US dollars per million tokens. */
export interface Price {
  input: number;
  cachedInput: number;
  output: number;
}

/** Prices by the names of models. A model without a known price is not in it. */
export type PriceTable = Record<string, Price>;
