/** What calls cost. Tokens are the provider's own figures; `inputTokens` includes the cached ones. */
export interface Figures {
  calls: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  /** US dollars; 0 for models without a known price. */
  costUsd: number;
}

/** A run's figures, and the same for each agent by its id. */
export interface Usage extends Figures {
  byAgent: Record<string, Figures>;
}

/** US dollars per million tokens. */
export interface Price {
  input: number;
  cachedInput: number;
  output: number;
}

/** Prices by model name, only of models that have one. */
export type PriceTable = Record<string, Price>;
