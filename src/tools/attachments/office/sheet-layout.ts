import { listed } from '../../../util/text/listed.ts';
import { isNumber } from '../columns.ts';
import { columnNames, fillGroups, headerOf, isWide, type Merged } from './sheet-header.ts';

/** A sheet: its values, and how they look to people. Rows are hidden as `hidden` or `filtered`; colours are by column and row. */
export interface SheetGrid {
  /** The texts of cells by row and column. Rows may be missing. */
  rows: string[][];
  isNumber: (row: number, column: number) => boolean;
  merged: Merged[];
  hiddenRows: ReadonlyMap<number, string>;
  hiddenColumns: readonly number[];
  colours: ReadonlyMap<number, ReadonlyMap<number, string>>;
  /** What is said at cells, by their rows: `C5: Sure?`. */
  comments: ReadonlyMap<number, string>;
  links: ReadonlyMap<number, string>;
}

/** How many names are told. */
const named = 8;

/**
 * Lays a sheet out as a table whose first line names the columns, so that what is seen can be told from what is there: columns
 * say how its rows look (`_hidden`, `_color` or `NAME_color`, `_comment`, `_link`), and remarks what is in no line.
 */
export function tableOf(sheet: SheetGrid) {
  const filled = [...sheet.rows.keys()].filter((row) => sheet.rows[row]?.some((cell) => cell !== ''));
  const width = filled.reduce((most, row) => Math.max(most, sheet.rows[row]?.length ?? 0), 0);
  fillMerged(sheet, width, ({ left, right }) => left === right);
  const { isUnsure, rows: headerRows } = headerOf(sheet, filled);
  const [header = -1] = headerRows;
  const headerRow = headerRows.at(-1) ?? header;
  const titles = filled.filter((row) => row < header).map((row) => (sheet.rows[row] ?? []).filter(Boolean).join(' | '));
  fillMerged(sheet, width, (range) => range.top >= header && isWide(range), headerRow);
  fillGroups(sheet, headerRows, width);
  const body = filled.filter((row) => row > headerRow);
  const names = columnNames(sheet, headerRows, width);
  const called = names.map((name, column) => name || `column_${column + 1}`);
  const hidden = flagOf('_hidden', sheet.hiddenRows, body);
  const coloured = colourFlags(sheet, body, called);
  const commented = flagOf('_comment', sheet.comments, body);
  const looks = [...hidden, ...coloured, ...commented, ...flagOf('_link', sheet.links, body)];
  const lines = body.map((row) => [
    ...Array.from({ length: width }, (_, column) => sheet.rows[row]?.[column] ?? ''),
    ...looks.map(({ cells }) => cells.get(row) ?? ''),
  ]);
  const headline = [...(looks.length > 0 ? called : names), ...looks.map(({ name }) => name)];
  const what = coloured[0]?.name === '_color' ? 'rows' : 'cells';
  const hiddenNames = sheet.hiddenColumns.flatMap((column) => called[column] ?? []);
  const mergedBelow = sheet.merged.filter(({ bottom }) => bottom > headerRow).length;
  const notes = [
    isUnsure && 'its header may have more than one row',
    flagNote(hidden, (count) => `${count} of its ${body.length} rows are hidden`),
    flagNote(coloured, (count, words) => `${count} ${what} are coloured (${words})`),
    flagNote(commented, (count) => `cells in ${count} of its rows have comments`),
    hiddenNames.length > 0 && `these columns are hidden, and read all the same: ${listed(hiddenNames, named)}`,
    mergedBelow > 0 &&
      `${mergedBelow} ranges of cells are merged: a text is repeated in each of their cells, a number stands in the first`,
    othersNote(sheet, body),
  ].filter((note) => note !== false);
  const inBody = new Set(body);
  const apart = (what: string, all: ReadonlyMap<number, string>): string[] =>
    [...all].filter(([row]) => !inBody.has(row)).map(([, said]) => `${what} at ${said}`);
  const remarks = [
    ...titles.map((title) => `above the table: ${title}`),
    ...placesOf(filled),
    ...apart('comment', sheet.comments),
    ...apart('link', sheet.links),
  ];
  return { remarks, headerRow, lines: filled.length === 0 ? [] : [headline, ...lines], notes };
}

/** Says where other tables may begin: at rows of words below an empty row, with numbers in the rows that follow. */
function othersNote({ rows }: SheetGrid, body: number[]): string | false {
  const hasNumber = (row: number): boolean => rows[row]?.some(isNumber) === true;
  const blocks: number[][] = [];
  for (const [index, row] of body.entries()) {
    if (body[index - 1] === row - 1) blocks.at(-1)?.push(row);
    else blocks.push([row]);
  }
  const starts = blocks
    .slice(1)
    .flatMap(([first = 0, ...others]) => (!hasNumber(first) && others.some(hasNumber) ? [first] : []));
  const places = starts.map((row) => String(row + 1));
  return places.length > 0 && `other tables may begin below empty rows, at the sheet’s rows ${firstOf(places, named)}`;
}

const firstOf = (places: string[], most: number): string =>
  places.slice(0, most).join(', ') + (places.length > most ? ', …' : '');

/** Where the rows are that have cells, if some between or above them have none: `3-4, 7`. */
function placesOf(filled: number[]): string[] {
  if (filled.every((row, index) => row === index)) return [];
  const runs: string[] = [];
  for (const [index, row] of filled.entries()) {
    const isNext = filled[index - 1] === row - 1;
    const start = isNext ? runs.pop()?.replace(/-.*/, '') : undefined;
    runs.push(start === undefined ? String(row + 1) : `${start}-${row + 1}`);
  }
  return [`rows of the sheet that are not empty: ${firstOf(runs, 40)}`];
}

/** Repeats texts in all cells of a merged range. Below the header a number stays in the first: sums would count it again. */
function fillMerged(sheet: SheetGrid, width: number, fits: (range: Merged) => boolean, headerRow = -1): void {
  const { rows, merged, isNumber } = sheet;
  for (const range of merged) {
    const { top, left, bottom, right } = range;
    const text = rows[top]?.[left] ?? '';
    if (text === '' || !fits(range) || (top > headerRow && isNumber(top, left))) continue;
    for (let row = top; row <= Math.min(bottom, rows.length - 1); row++) {
      const cells = (rows[row] ??= []);
      for (let column = left; column <= Math.min(right, width - 1); column++) {
        while (cells.length < column) cells.push('');
        cells[column] ||= text;
      }
    }
  }
}

interface Flag {
  name: string;
  cells: Map<number, string>;
}

function flagOf(name: string, by: ReadonlyMap<number, string>, body: number[]): Flag[] {
  const cells = new Map(body.flatMap((row) => (by.has(row) ? [[row, by.get(row) ?? ''] as const] : [])));
  return cells.size === 0 ? [] : [{ name, cells }];
}

function flagNote(flags: Flag[], said: (count: number, words: string) => string): string | false {
  const found = flags.flatMap(({ cells }) => [...cells.values()]);
  const names = flags.map(({ name }) => name);
  return found.length > 0 && `${said(found.length, listed([...new Set(found)], named))}, see ${listed(names, named)}`;
}

/** One column where all cells of each row have one colour, otherwise one for each column that has coloured cells. */
function colourFlags({ colours }: SheetGrid, body: number[], names: string[]): Flag[] {
  const inBody = new Set(body);
  const byColumn = names.map(
    (_, column) => new Map([...(colours.get(column) ?? [])].filter(([row]) => inBody.has(row))),
  );
  const [first = new Map<number, string>()] = byColumn;
  const isWhole = byColumn.every(
    (cells) => cells.size === first.size && [...cells].every(([row, colour]) => first.get(row) === colour),
  );
  const flags = isWhole
    ? [{ name: '_color', cells: first }]
    : byColumn.map((cells, column) => ({ name: `${names[column]}_color`, cells }));
  return flags.filter(({ cells }) => cells.size > 0);
}
