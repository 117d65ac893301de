import { isNumber } from '../columns.ts';

/** A range of cells that are merged into one. All positions count from 0. */
export interface Merged {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

interface Cells {
  rows: string[][];
  merged: Merged[];
}

/** How many rows are examined to find the header, how many may stand above it, and how many it has at most. */
const examined = 100;
const mostAbove = 10;
const mostRows = 4;

/**
 * The rows of a sheet's header: the first that fills more than half of the columns, what names groups of columns above it, and
 * what divides them below. Where a row above it is neither a title nor such names, the header is the first row and unsure.
 *
 * @param filled the rows that have cells
 */
export function headerOf(sheet: Cells, filled: number[]): { rows: number[]; isUnsure: boolean } {
  const cells = filled.slice(0, examined).map((row) => sheet.rows[row] ?? []);
  const counts = cells.map((row) => namesIn(row).length);
  const starts = cells.map(startOf);
  const left = Math.min(...starts);
  const found = counts.findIndex((count) => count > Math.max(...counts) / 2);
  const at = found < 0 || found > mostAbove ? 0 : found;
  let top = at;
  while (top > 0 && at - top < mostRows - 1 && isAbove(sheet, filled.slice(top - 1), left)) top -= 1;
  const isNames = cells[at]?.every(isName) === true;
  const isTitled = starts.slice(0, top).every((start, row) => start === left || (counts[row] === 1 && isNames));
  const [from, to] = isTitled ? [top, at] : [0, 0];
  const rows = filled.slice(from, to + 1);
  while (rows.length < mostRows && isDivided(sheet, rows, filled.slice(from + rows.length - 1), left))
    rows.push(...filled.slice(from + rows.length, from + rows.length + 1));
  return { rows, isUnsure: !isTitled };
}

const namesIn = (cells: string[]): string[] => cells.filter((cell) => cell !== '');
const startOf = (cells: string[]): number => cells.findIndex((cell) => cell !== '');

/** Whether a cell may name a column: years do, other numbers do not. */
const isName = (cell: string): boolean => !isNumber(cell) || /^(19|20)\d\d$/.test(cell);

export const isWide = ({ left, right }: Merged): boolean => left < right;

const wideIn = ({ merged }: Cells, row: number): Merged[] =>
  merged.filter((range) => range.top === row && range.bottom === row && isWide(range));

/** Whether a row names groups of the columns that the next one names. A title begins at the left, and is no column's name. */
function isAbove(sheet: Cells, [row = 0, next = 0]: number[], left: number): boolean {
  if (next !== row + 1) return false;
  const [cells = [], below = []] = [sheet.rows[row], sheet.rows[next]];
  const isIndented = startOf(cells) > left;
  const isBeside = isIndented || cells[left] === below[left];
  if (isBeside && wideIn(sheet, row).some((range) => range.left > left)) return true;
  const isApart = isIndented && namesIn(cells).length > 1 && gapsIn(cells).every((gap) => gap > 1);
  return isApart || isRepeated(cells, below, left);
}

/** Whether columns have names that repeat, and groups above them that tell which is which. */
function isRepeated(cells: string[], below: string[], left: number): boolean {
  const names = namesIn(below);
  const isIndented = startOf(cells) > left || startOf(below) > left;
  return isIndented && namesIn(cells).length > 1 && new Set(names).size < names.length;
}

/** How far each name of a row is from the next one. */
const gapsIn = (cells: string[]): number[] => {
  const starts = cells.flatMap((cell, column) => (cell === '' ? [] : [column]));
  return starts.slice(1).map((start, index) => start - (starts[index] ?? 0));
};

/** Whether the last row of a header names groups of columns that the row below it divides. */
function isDivided(sheet: Cells, rows: number[], [row = 0, next]: number[], left: number): boolean {
  if (next === undefined) return false;
  const wide = wideIn(sheet, row);
  const below = wideIn(sheet, next);
  // Where all rows have the same cells merged, these are columns of the sheet and no groups.
  const isSplit = wide.some((range) => !below.some((each) => each.left === range.left && each.right === range.right));
  const above = rows.at(-2);
  if (above !== undefined)
    return isSplit && wide.some((range) => wideIn(sheet, above).some((each) => isIn(range, each)));
  const [cells = [], under = []] = [sheet.rows[row], sheet.rows[next]];
  const hasGaps = under.some((cell, column) => cell !== '' && !cells[column]);
  return isSplit || (next === row + 1 && hasGaps && under.every(isName) && isRepeated(cells, under, left));
}

const isIn = (inner: Merged, outer: Merged): boolean =>
  inner.left >= outer.left && inner.right <= outer.right && inner.right - inner.left < outer.right - outer.left;

/**
 * Repeats the names of groups over their columns, where no cells are merged: each up to the next one, the last one as far as
 * the widest of the others, and over names that need a group since they repeat.
 */
export function fillGroups(sheet: Cells, headerRows: number[], width: number): void {
  for (const [index, row] of headerRows.slice(0, -1).entries()) {
    const cells = sheet.rows[row] ?? [];
    if (wideIn(sheet, row).length > 0) continue;
    const below = sheet.rows[headerRows[index + 1] ?? row] ?? [];
    const last = cells.findLastIndex((cell) => cell !== '');
    const widest = Math.max(1, ...gapsIn(cells));
    const isReached = (column: number): boolean =>
      column < last + widest || below.indexOf(below[column] ?? '') < column;
    for (let column = startOf(cells) + 1; column < width; column++) {
      if (column > last && !isReached(column)) break;
      cells[column] ||= cells[column - 1] ?? '';
    }
  }
}

/** What the rows of a header call each column: `2025 Sales`. */
export const columnNames = ({ rows }: Cells, headerRows: number[], width: number): string[] =>
  Array.from({ length: width }, (_, column) => {
    const names = namesIn(headerRows.map((row) => rows[row]?.[column] ?? ''));
    return names.filter((name, index) => name !== names[index - 1]).join(' ');
  });
