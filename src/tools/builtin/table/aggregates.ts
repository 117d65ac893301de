import { compare } from './conditions.ts';
import type { Column } from './columns.ts';

export const aggregateFunctions = ['sum', 'mean', 'min', 'max', 'count', 'median', 'count_distinct'] as const;

export type AggregateFunction = (typeof aggregateFunctions)[number];

/** What comes of some rows; null where no cell can be counted. */
export type Aggregated = number | string | null;

/** Cells that are neither empty nor numbers, which a sum leaves out. */
export const notNumbers = (rows: string[][], column: Column): number =>
  rows.filter((row) => column.cell(row) !== '' && column.amount(row) === undefined).length;

/** Empty cells never count. `min` and `max` of a column without numbers are those of its texts. */
export function aggregate(rows: string[][], name: AggregateFunction, column: Column | undefined): Aggregated {
  if (column === undefined) return rows.length;
  const cells = rows.map(column.cell).filter((cell) => cell !== '');
  if (name === 'count') return cells.length;
  if (name === 'count_distinct') return new Set(cells).size;
  const amounts = rows.flatMap((row) => column.amount(row) ?? []).sort((one, other) => one - other);
  if (amounts.length === 0) return textual(cells.sort(compare), name);
  return rounded(numeric(amounts, name));
}

function textual(sorted: string[], name: AggregateFunction): string | null {
  if (name === 'min') return sorted[0] ?? null;
  return name === 'max' ? (sorted.at(-1) ?? null) : null;
}

function numeric(sorted: number[], name: AggregateFunction): number {
  const { length } = sorted;
  const at = (index: number): number => sorted[index] ?? 0;
  const sum = (): number => sorted.reduce((total, amount) => total + amount, 0);
  switch (name) {
    case 'min':
      return at(0);
    case 'max':
      return at(length - 1);
    case 'mean':
      return sum() / length;
    case 'median':
      return (at(Math.floor((length - 1) / 2)) + at(Math.floor(length / 2))) / 2;
    default:
      return sum();
  }
}

/** 15 digits are what a double holds for sure: 0.1 + 0.2 is 0.3. */
const rounded = (amount: number): number => Number(amount.toPrecision(15));
