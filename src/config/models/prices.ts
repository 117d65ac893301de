import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { pricesFor, unpricedIn } from './list-prices.ts';
import type { PriceTable } from '../../protocol/usage.ts';
import type { Environment } from '../../util/environment.ts';
import { isThisMachine } from './model-name.ts';
import { checkedBy, problemText } from '../problems.ts';
import { safe } from '../privileges.ts';
import type { Backend } from '../../protocol/settings.ts';

const dollars = z.number().min(0);

/** The key `prices` of every configuration: US dollars per million tokens, by the names of models. */
export const priceTableSchema = z.record(
  z.string(),
  z.strictObject({
    input: dollars.meta(safe('A million tokens read.')),
    cachedInput: dollars.meta(safe('A million tokens read from the cache.')),
    output: dollars.meta(safe('A million tokens written.')),
  }),
);

/**
 * Reads the JSON file that `REPRISE_PRICES` names, in US dollars per million tokens, if it names one:
 * `{"my-model": {"input": 1, "cachedInput": 0.1, "output": 4}}`.
 *
 * @param base the folder from which a relative path counts; that of the process when absent
 * @throws if the file is missing or has another shape
 */
export function readPrices(environment: Environment, base = ''): PriceTable {
  const file = environment['REPRISE_PRICES'];
  if (file === undefined) return {};
  const text = readFileSync(resolve(base, file), 'utf8');
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is no JSON: ${(error as Error).message}`, { cause: error });
  }
  const checked = checkedBy(priceTableSchema, content);
  if (checked.ok) return checked.value;
  throw new Error(checked.problems.map((problem) => problemText(problem, file)).join('\n'));
}

interface Priced {
  prices?: PriceTable | undefined;
  budget?: { usd?: number | undefined } | undefined;
}

interface KnownPrices {
  prices: PriceTable;
  /** Sentences for a person, one for each model without a price, except for those that are served on this machine. */
  warnings: string[];
  /** What keeps the run from starting: a budget of money cannot hold where nobody knows what a call costs. */
  problems: string[];
}

/** Looks up the prices of a run's models: those of the configuration count first, then those of the user's file. */
export function findPrices(
  backends: Backend[],
  { prices: own, budget }: Priced,
  fromFile: PriceTable,
  environment: Environment,
): KnownPrices {
  const prices = pricesFor(backends, { ...fromFile, ...own }, environment);
  const unpriced = unpricedIn(backends, prices);
  const price = (model: string): string => `prices: {${JSON.stringify(model)}: {input: …, cachedInput: …, output: …}}`;
  const hint = (model: string): string => `${price(model)} gives it, in US dollars per million tokens`;
  const local = backends
    .filter(({ base_url: url }) => url !== undefined && isThisMachine(url))
    .map(({ model }) => model);
  const problem = (model: string): string =>
    local.includes(model)
      ? `the model ${model} is served on this machine and has no price, so a budget in dollars (--budget) is pointless; ` +
        `limit budget.calls or budget.tokens, or say what it costs: ${price(model)}`
      : `no price is known for the model ${model}; ${hint(model)}`;
  return {
    prices,
    warnings: unpriced
      .filter((model) => !local.includes(model))
      .map((model) => `No price is known for the model ${model}, so its cost counts as 0; ${hint(model)}`),
    problems: budget?.usd === undefined ? [] : unpriced.map((model) => `budget.usd: ${problem(model)}`),
  };
}
