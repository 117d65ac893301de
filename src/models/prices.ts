import type { Backend } from '../config/backend.ts';
import type { PriceTable } from '../protocol/usage.ts';

/**
 * List prices in US dollars per million tokens, by the model's name with or without a date at its end (version 1). As
 * providers change their prices, a JSON file of the same shape, which `REPRISE_PRICES` names, takes precedence over this
 * table. The tokens of a model that is in neither are counted, but its cost is not.
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

/** Takes the date off a model's name: `gpt-5-2025-08-07` or `claude-haiku-4-5-20251001`. */
const withoutDate = (model: string): string => model.replace(/-\d{4}-?\d{2}-?\d{2}$/, '');

/**
 * The prices that a run needs, by model. They are part of its prepared input, since a workflow that is replayed after a
 * price has changed must still compute the same sums.
 */
export const pricesFor = (backends: Backend[], overrides: PriceTable = {}): PriceTable =>
  Object.fromEntries(
    backends.flatMap(({ model = '' }) => {
      const price = overrides[model] ?? listPrices[model] ?? listPrices[withoutDate(model)];
      return price === undefined ? [] : [[model, price]];
    }),
  );
