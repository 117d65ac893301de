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
 * Prices of one's own, from the JSON file that `REPRISE_PRICES` names:
 * `{"my-model": {"input": 1, "cachedInput": 0.1, "output": 4}}`, US dollars per million tokens.
 *
 * @throws where the file is missing or is not of that shape
 */
export function readPrices(environment: Environment): PriceTable {
  const file = environment['REPRISE_PRICES'];
  if (file === undefined) return {};
  const checked = checkedBy(priceTableSchema, JSON.parse(readFileSync(file, 'utf8')));
  if (checked.ok) return checked.value;
  throw new Error(checked.problems.map((problem) => problemText(problem, file)).join('\n'));
}
