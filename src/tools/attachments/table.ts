import { parse } from 'csv-parse/sync';
import { readingLimits } from '../../util/file-limits.ts';
import { moduleBeside, runIsolated } from '../../util/isolated.ts';
import { shortened } from '../../workflows/runtime/size.ts';
import { listed } from '../../util/text/listed.ts';
import { type DecimalMark, isGap, isNumber } from './columns.ts';
import { uniqueNames } from './names.ts';
import { noted } from './readable.ts';

/** A table of texts. A row may have fewer cells than there are columns. */
export interface Table {
  /** Unique names. A column without a name is called `column_3` or the like. */
  columns: string[];
  rows: string[][];
  /** What mostly stands before decimals, in a table that may have been made for people. */
  mark?: DecimalMark;
  note?: string;
}

/**
 * Reads a table whose first row names the columns, with commas, semicolons, tabs or bars between the cells. Never throws:
 * a damaged table is read as far as possible.
 *
 * @param known what stands between the cells; found out if absent
 */
export function parseTable(text: string, known?: string): Table {
  const { delimiter, body } = known === undefined ? delimiterOf(text) : { delimiter: known, body: text };
  const { records, note } = recordsOf(body, delimiter);
  const at = known === undefined ? headerOf(records) : 0;
  const [header = [], ...rows] = records.slice(at);
  const titles = records.slice(0, at).map((row) => row.filter((cell) => cell !== '').join(' '));
  const width = rows.reduce((most, row) => Math.max(most, row.length), header.length);
  const ragged = rows.filter((row) => row.length !== header.length);
  return {
    columns: columnNames(header, width),
    rows,
    ...(known === undefined && { mark: delimiter === ';' ? ',' : '.' }),
    ...noted([
      note,
      at > 0 && `above the table stands: ${shortened(titles.join('; '), 300)}`,
      records.length === 0 && 'the table is empty',
      ...doubtsAbout(header, rows),
      ragged.length > 0 &&
        `${ragged.length} of ${rows.length} rows have more or fewer cells than the ${header.length} columns (the first: row ${rows.indexOf(ragged[0] ?? []) + 1})`,
    ]),
  };
}

/** From how many characters on a table is read in a thread of its own: so many take about 50 ms, which is what one costs. */
const worthThread = 300_000;

const program = moduleBeside(import.meta.url, 'table');

/** Summarises a table without holding up the process. Never throws. */
export async function summaryOf(text: string): Promise<ReturnType<typeof summarised>> {
  if (text.length < worthThread) return summarised(text);
  return runIsolated<ReturnType<typeof summarised>>(program, text, readingLimits).catch(({ message }: Error) => ({
    columns: [],
    rows: 0,
    first: [],
    note: `the table cannot be examined (${message})`,
  }));
}

/** A table's columns, how many rows it has, the first of them, and what is wrong with it. */
export default function summarised(text: string) {
  const { columns, note, rows } = parseTable(text);
  return { columns, rows: rows.length, first: rows.slice(0, 5), ...noted([note]) };
}

/** A row as CSV. A cell that begins with a bracket is quoted, so that no row looks like the heading of a sheet. */
export const csvLine = (cells: string[]): string => `${cells.map(csvCell).join(',')}\n`;

const csvCell = (cell: string): string => (/^[[ ]|[",\r\n]| $/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export function columnNames(header: string[], width = header.length): string[] {
  const names = Array.from({ length: width }, (_, index) => header[index] || `column_${index + 1}`);
  return uniqueNames(names, (name, number) => `${name}_${number}`);
}

/** The cells between delimiters, of rows of any length that are not empty. @param most how many rows; -1 means all */
function recordsOf(text: string, delimiter: string, most = -1): { records: string[][]; note?: string } {
  const options = {
    delimiter,
    // Left to itself the parser takes the first that it finds for the only one.
    record_delimiter: ['\r\n', '\n', '\r'],
    trim: true,
    to: most,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    // The parser's own rows have room for seventeen cells each, which of two million rows is a third of a gigabyte.
    on_record: (row: string[]) => row.slice(),
  };
  const read = (how: object): string[][] => parse(text, { ...options, ...how });
  try {
    return { records: read({}) };
  } catch (error) {
    const { lines = 0 } = error as { lines?: number };
    try {
      // As databases and Spark write a quotation mark in a text.
      return { records: read({ escape: '\\' }) };
    } catch {
      const note = `its quotation marks do not match up to line ${lines}, and are read as plain characters`;
      return { records: read({ quote: false }), note };
    }
  }
}

/** The most reliable first. A comma comes last, since it may also be in a text or before decimals. */
const delimiters = ['\t', ';', '|', ','];

/** How many records are examined to find the delimiter and the header. */
const sampled = 100;

function delimiterOf(text: string): { delimiter: string; body: string } {
  const said = /^sep=(.)\r?\n/.exec(text);
  if (said?.[1] !== undefined) return { delimiter: said[1], body: text.slice(said[0].length) };
  const beginning = text.slice(0, 100_000);
  const fits = delimiters.map((delimiter) => {
    const { records } = recordsOf(beginning, delimiter, sampled);
    return fitOf(records.slice(headerOf(records)));
  });
  const best = Math.max(...fits);
  return { delimiter: (best > 0 && delimiters[fits.indexOf(best)]) || ',', body: text };
}

/** How many cells of a narrow row are filled. */
const narrow = 2;

/**
 * Where the header is: below titles and comments of few cells, if it has names alone and most of the columns. Titles of more
 * cells, such as a balance with its currency, need that most rows of the table are as wide.
 */
function headerOf(records: string[][]): number {
  const filled = records.slice(0, sampled).map((row) => row.filter((cell) => cell !== '').length);
  const widest = Math.max(0, ...filled);
  const at = filled.findIndex((count) => count > widest / 2);
  const wide = records.slice(at, sampled).filter((row) => row.length > widest / 2).length;
  const isTitled = widest > narrow && filled.slice(0, at).every((count) => count <= narrow);
  const isTable = isTitled || wide * 2 > filled.length - at;
  const isBelow = at > 0 && at <= 10 && isTable && isNaming(records, at);
  return belowRemarks(records, filled) || (isBelow ? at : 0);
}

const isYear = (cell: string): boolean => /^(19|20)\d\d$/.test(cell);

/** Whether a row has no numbers but years, below which there are none. */
const isNaming = (records: string[][], at: number): boolean =>
  records[at]?.every(
    (cell, column) => !isNumber(cell) || (isYear(cell) && !isYear(records[at + 1]?.[column] ?? '')),
  ) === true;

/**
 * Where the header is below remarks that are many, or nearly as wide, as instruments write them: where a row fills all
 * columns first, if it names numbers. Remarks have fewer cells, or begin as `# units: s, V` does. 0 if it is nowhere.
 */
function belowRemarks(records: string[][], filled: number[]): number {
  const width = Math.max(0, ...filled);
  const isRemark = (row: string[], index: number): boolean =>
    row.length < width || (filled[index] ?? 0) * 2 <= width || /^#.*: /.test(row[0] ?? '');
  const at = filled.findIndex((_, index) => !isRemark(records[index] ?? [], index));
  const header = records[at] ?? [];
  if (at < 1 || at > sampled / 2 || !isNaming(records, at) || header.slice(0, width).some(isGap)) return 0;
  const below = records.slice(at + 1, sampled);
  // What stands above may be a table of its own.
  const isTable = isOfNumbers(records.slice(1, at), 1);
  return !isTable && header.some((_, column) => isOfNumbers(below, column)) ? at : 0;
}

function isOfNumbers(rows: string[][], column: number): boolean {
  const cells = rows.flatMap((row) => row[column] || []).filter((cell) => !isGap(cell) && !cell.startsWith('#'));
  return cells.length > 0 && cells.every(isNumber);
}

const total =
  /^((grand|sub|sous|gesamt|zwischen|end|ins)[ -]?)?(totaa?l|totalt|sum|summe|somme|suma|soma|gesamt|razem|celkem|összesen|toplam|yhteensä|итого|всего)[es]?(?!\p{L})|^(総?合計|小計|总计|合计|小计|합계|소계|총계)/iu;

const nameOf = (row: string[]): string => row.find((cell) => cell !== '') ?? '';

export const isTotal = (row: string[]): boolean => total.test(nameOf(row));

export function doubtsAbout(header: string[], rows: string[][]): Array<string | false> {
  const totals = rows.filter(isTotal);
  const names = totals.map((row) => shortened(nameOf(row), 40));
  return [
    isLikeData(header, rows) && 'its first row may be data',
    totals.length > 0 && `rows that may be totals, which sums would count twice: ${listed(names, 5)}`,
  ];
}

const isDay = (cell: string): boolean => /^(\d{4}-\d\d-\d\d([T ].*)?|\d{1,2}([./-])\d{1,2}\3\d{2,4})$/.test(cell);

/** Whether a first row has a number or a day where there are only such below it. Years, and numbers in a row, are names. */
function isLikeData(header: string[], rows: string[][]): boolean {
  const numbers = header.filter((cell) => isNumber(cell));
  const isScale = numbers.length > 1 && numbers.every((cell, index) => Number(cell) === Number(numbers[0]) + index);
  return header.some((name, column) => {
    const isNumeric = isNumber(name) && !isScale && !isYear(name);
    if (!isNumeric && !isDay(name)) return false;
    const below = rows.slice(0, sampled).flatMap((row) => row[column] || []);
    return below.length > 0 && below.every(isNumeric ? isNumber : isDay);
  });
}

/** How well a delimiter fits: the share of rows as wide as the header, more for a wider header, 0 for a single column. */
function fitOf([header = [], ...rows]: string[][]): number {
  const width = header.length;
  const even = rows.filter((row) => row.length === width).length;
  return (rows.length === 0 ? 1 : even / rows.length) * (1 - 1 / Math.max(1, width));
}

interface Sheet {
  name: string;
  /** Lines in brackets before its rows: what stands above the table, comments, formulas. */
  remarks: string;
  csv: string;
}

/** The line that stands before the rows of a sheet. No row begins with a bracket. @param number from 1 */
export const sheetHeading = (number: number, name: string): string =>
  `[sheet ${number}: ${name.replaceAll(/[\p{C}\s]+/gu, ' ')}]`;

/** The line before the texts of shapes, which stand behind all sheets as charts do. */
export const shapesHeading = '[shapes]';

export function sheetsOf(text: string): Sheet[] {
  return text.split(/^(?=\[sheet \d+: |\[chart[:\]]|\[formula\]$|\[shapes\]$|\[properties: )/m).flatMap((part) => {
    const [head, name, remarks = ''] = /^\[sheet \d+: (.*)\]\n((?:\[.*\]\n)*)/.exec(part) ?? [];
    return name === undefined ? [] : [{ name, remarks, csv: part.slice(head?.length).trimEnd() }];
  });
}

/** What a prompt shows of a workbook: its sheets with their columns, how many rows they have, and the first two. */
export function workbookPreview(text: string): string {
  const sheets = sheetsOf(text).map(({ csv, name, remarks }) => {
    const { columns, rows } = parseTable(csv.split('\n', 3).join('\n'), ',');
    let count = 0;
    // A list of a million lines would hold up the process.
    for (let at = csv.indexOf('\n'); at !== -1; at = csv.indexOf('\n', at + 1)) count += 1;
    return [
      `Sheet "${name}", ${count} ${count === 1 ? 'row' : 'rows'}: ${columns.join(', ') || 'empty'}`,
      ...rows.map((row) => row.join(' | ')),
      ...(remarks === '' ? [] : [shortened(remarks.trimEnd(), 300)]),
    ];
  });
  return sheets.flat().join('\n');
}
