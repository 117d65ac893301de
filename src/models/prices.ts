import type { Backend } from '../config/backend.ts';
import type { Price, PriceTable } from '../protocol/usage.ts';

/**
 * List prices in US dollars per million tokens, by the model's name with or without a date at its end.
 * Version 1. Providers change their prices: `REPRISE_PRICES` names a JSON file of the same shape that wins over
 * this table. A model that is in neither has no price: its tokens are counted, its cost is not.
 */
const listPrices: PriceTable = {
  'gpt-5-nano': { input: 0.05, cachedInput: 0.005, output: 0.4 },
  'gpt-5-mini': { input: 0.25, cachedInput: 0.025, output: 2 },
  'gpt-5': { input: 1.25, cachedInput: 0.125, output: 10 },
  'gpt-4.1-mini': { input: 0.4, cachedInput: 0.1, output: 1.6 },
  'gpt-4.1': { input: 2, cachedInput: 0.5, output: 8 },
  'gpt-4o-mini': { input: 0.15, cachedInput: 0.075, output: 0.6 },
  'gpt-4o': { input: 2.5, cachedInput: 1.25, output: 10 },
  'claude-sonnet-5-5': { input: 2, cachedInput: 0.1, output: 10 },
  'claude-sonnet-5': { input: 2, cachedInput: 0.2, output: 10 },
  'claude-opus-5-5': { input: 4, cachedInput: 0.2, output: 20 },
  'claude-opus-5': { input: 5, cachedInput: 0.5, output: 25 },
  'claude-haiku-4-5': { input: 1, cachedInput: 0.1, output: 5 },
  'claude-sonnet-4-5': { input: 3, cachedInput: 0.3, output: 15 },
  'claude-opus-4-5': { input: 5, cachedInput: 0.5, output: 25 },
  'gemini-2.5-flash': { input: 0.3, cachedInput: 0.03, output: 2.5 },
  'gemini-2.5-pro': { input: 1.25, cachedInput: 0.125, output: 10 },
  'gemini-3-pro-preview': { input: 2, cachedInput: 0.2, output: 12 },
};

/** `gpt-5-2025-08-07` is `gpt-5`, `claude-haiku-4-5-20251001` is `claude-haiku-4-5`. */
const withoutDate = (model: string): string => model.replace(/-\d{4}-?\d{2}-?\d{2}$/, '');

function priceOf(model: string, overrides: PriceTable): Price | undefined {
  return overrides[model] ?? listPrices[model] ?? listPrices[withoutDate(model)];
}

/**
 * The prices that a run needs. They travel in its prepared input, since a workflow that is replayed
 * after a price has changed must still come to the same sums.
 */
export function pricesFor(backends: Backend[], overrides: PriceTable = {}): PriceTable {
  const models = backends.flatMap(({ model }) => (model === undefined ? [] : [model]));
  const rows = models.map((model) => [model, priceOf(model, overrides)] as const);
  return Object.fromEntries(rows.filter((row): row is [string, Price] => row[1] !== undefined));
}
