/** US dollars per million tokens. */
export interface Price {
  input: number;
  cachedInput: number;
  output: number;
}

/** Prices by model name, only of models that have one. */
export type PriceTable = Record<string, Price>;
