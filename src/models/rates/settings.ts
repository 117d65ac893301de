import { VariableError } from '../../util/environment.ts';

export interface Limit {
  of: 'requests' | 'tokens';
  amount: number;
  periodMs: number;
}

const periods: Record<string, number> = { s: 1000, min: 60_000, h: 3_600_000, day: 86_400_000 };

/**
 * `NAME=LIMIT,LIMIT` with spaces between them. NAME is the variable of a key or a host, LIMIT `500/min` or
 * `200000tokens/min`, by `s`, `min`, `h` or `day`.
 * @throws `VariableError` that names the word it does not understand
 */
export function readRates(text: string): Array<{ name: string; limits: Limit[] }> {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      const [, name = '', limits = ''] = /^([^=]+)=(.+)$/.exec(word) ?? [];
      if (name === '') throw wrong(word);
      return { name, limits: limits.split(',').map((limit) => readLimit(limit, word)) };
    });
}

function readLimit(text: string, word: string): Limit {
  const [, amount, tokens, period = ''] = /^(\d+)(tokens)?\/([a-z]+)$/.exec(text) ?? [];
  const periodMs = periods[period];
  if (periodMs === undefined || !(Number(amount) > 0)) throw wrong(word);
  return { of: tokens === undefined ? 'requests' : 'tokens', amount: Number(amount), periodMs };
}

const wrong = (word: string): Error =>
  new VariableError(
    `REPRISE_RATES: "${word}" is not understood; an entry is the variable of a key or a host with limits, as in ` +
      'OPENAI_API_KEY=500/min,200000tokens/min (by s, min, h or day), and entries are separated by spaces',
  );
