import { amountOf } from './amount.ts';
import type { Column } from './columns.ts';

export const comparisons = ['=', '!=', '<', '<=', '>', '>=', 'contains'] as const;

export type Comparison = (typeof comparisons)[number];

/**
 * Whether a row's cell compares with a value as is asked: as numbers where both are, else as texts whatever their
 * letter case. A number is neither less nor more than a text, and nothing is where the cell is empty.
 */
export function condition(
  column: Column,
  is: Comparison,
  value: string | number | boolean,
): (row: string[]) => boolean {
  const text = plain(String(value));
  const amount = typeof value === 'number' ? value : amountOf(String(value), column.mark);
  return (row) => {
    const cell = plain(column.cell(row));
    if (is === 'contains') return cell.includes(text);
    const number = column.amount(row);
    if (number !== undefined && amount !== undefined) return holds(is, number - amount);
    if (is === '=' || is === '!=') return (cell === text) === (is === '=');
    return cell !== '' && number === undefined && amount === undefined && holds(is, compare(cell, text));
  };
}

const plain = (text: string): string => text.trim().toLowerCase();

function holds(is: Exclude<Comparison, 'contains'>, order: number): boolean {
  switch (is) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

/** Dates as ISO writes them come in their order too. */
export function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
