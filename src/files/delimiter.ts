import { recordsOf } from './csv.ts';

/** In the order in which they are believed: a comma may stand in a text or before decimals. */
const delimiters = ['\t', ';', '|', ','];

/** How many characters and records are looked at. */
const sample = 100_000;
const sampled = 100;

/** What stands between a table's cells, and the table without a first line that says so (`sep=;`, as Excel writes). */
export function delimiterOf(text: string): { delimiter: string; body: string } {
  const said = /^sep=(.)\r?\n/.exec(text);
  if (said?.[1] !== undefined) return { delimiter: said[1], body: text.slice(said[0].length) };
  const beginning = text.slice(0, sample);
  const ranked = delimiters
    .map((delimiter) => ({ delimiter, fit: fitOf(recordsOf(beginning, delimiter, sampled).records) }))
    .sort((one, other) => other.fit - one.fit);
  const [best] = ranked;
  return { delimiter: best === undefined || best.fit === 0 ? ',' : best.delimiter, body: text };
}

/** The share of rows as wide as the header, and the better the wider it is; 0 for a single column. */
function fitOf([header = [], ...rows]: string[][]): number {
  const width = header.length;
  const even = rows.filter((row) => row.length === width).length;
  return (rows.length === 0 ? 1 : even / rows.length) * (1 - 1 / Math.max(1, width));
}
