import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { PriceTable } from '../protocol/usage.ts';
import type { Environment } from './environment.ts';
import { checkedBy, problemText } from './problems.ts';

const dollars = z.number().min(0);

const priceTableSchema = z.record(
  z.string(),
  z.strictObject({ input: dollars, cachedInput: dollars, output: dollars }),
);

/**
 * Reads the user's prices from the JSON file that `REPRISE_PRICES` names, in US dollars per million tokens:
 * `{"my-model": {"input": 1, "cachedInput": 0.1, "output": 4}}`. Empty if the variable is not set.
 *
 * @throws if the file is missing or has another shape
 */
export function readPrices(environment: Environment): PriceTable {
  const file = environment['REPRISE_PRICES'];
  if (file === undefined) return {};
  const checked = checkedBy(priceTableSchema, JSON.parse(readFileSync(file, 'utf8')));
  if (checked.ok) return checked.value;
  throw new Error(checked.problems.map((problem) => problemText(problem, file)).join('\n'));
}
