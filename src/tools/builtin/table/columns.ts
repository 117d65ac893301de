import type { Table } from '../../../files/table.ts';
import { didYouMean } from '../../../config/did-you-mean.ts';
import { ToolError } from '../../tool.ts';
import { amountOf, decimalMarkOf, type DecimalMark } from './amount.ts';

/** A column of a table. */
export interface Column {
  name: string;
  /** How its numbers are written. */
  mark: DecimalMark;
  /** Its cell in a row; empty where the row ends before it. */
  cell: (row: string[]) => string;
  /** The number in that cell, if it holds one. */
  amount: (row: string[]) => number | undefined;
}

/** @returns finds columns by name, whatever the letter case; throws a `ToolError` with all names for an unknown one */
export function columnFinder({ columns, rows }: Table): (name: string) => Column {
  const found = new Map<number, Column>();
  return (name) => {
    const index = indexOf(columns, name);
    const column = found.get(index) ?? columnAt(index, columns[index] ?? name, rows);
    found.set(index, column);
    return column;
  };
}

function columnAt(index: number, name: string, rows: string[][]): Column {
  const cell = (row: string[]): string => row[index] ?? '';
  const mark = decimalMarkOf(rows.map(cell));
  return { name, mark, cell, amount: (row) => amountOf(cell(row), mark) };
}

function indexOf(columns: string[], name: string): number {
  const exact = columns.indexOf(name);
  if (exact !== -1) return exact;
  const plain = (text: string): string => text.trim().toLowerCase();
  const index = columns.findIndex((column) => plain(column) === plain(name));
  if (index !== -1) return index;
  throw new ToolError(
    `there is no column ${name};${didYouMean(name, columns)} the columns are ${columns.join(', ')}`,
  );
}
