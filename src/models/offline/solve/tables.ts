import { parsed, type Use } from '../uses.ts';
import { wordsOf } from './asked.ts';
import type { Shown } from './reading.ts';

/** A column as far as it is known. */
export interface Column {
  name: string;
  /** Its name as questions may have it: `unit_price`, `unit price`. */
  stems: string[];
  /** Values of it that were seen, each once. */
  values: string[];
}

/** A table attachment as far as it is known: by its preview, and by what tools have told. */
export interface Table {
  name: string;
  columns: Column[];
  /** How many it has; undefined: not said. */
  rows: number | undefined;
}

export type Row = Record<string, unknown>;

/** The tool that computes over tables. */
export const queryTool = 'query_table';

const number = /^[-+]?[€$£]?\d[\d,]*(?:\.\d+)?%?$/;
const identifier = /(?:^|[_\s-])(?:id|no|nr|code|key|year|date)$/i;
const unit = new Set([
  'eur',
  'usd',
  'gbp',
  'kg',
  'g',
  'km',
  'm',
  'cm',
  'mm',
  'c',
  'percent',
  'pct',
  's',
  'ms',
  'name',
]);

/** Reads the preview of a table, or of a list of records in JSON; undefined for anything else. */
export function tableIn({ kind, name, preview }: Shown): Table | undefined {
  if (kind === 'json') return tableOfRecords(name, preview);
  if (kind !== 'table') return undefined;
  const [head = '', count = '', ...lines] = preview.split('\n');
  const names = head.replace(/^Columns: /, '').split(', ');
  const cells = lines.map((line) => line.split(' | ')).filter(({ length }) => length === names.length);
  const rows = /^([\d,]+) rows?/.exec(count)?.[1]?.replaceAll(',', '');
  return {
    name,
    columns: names.map((each, place) => columnOf(each, distinct(cells.map((row) => row[place] ?? '')))),
    rows: rows === undefined ? undefined : Number(rows),
  };
}

/** The preview may end amid a record: the whole ones tell which columns there are. */
function tableOfRecords(name: string, preview: string): Table | undefined {
  if (!preview.startsWith('[')) return undefined;
  const records = [...preview.matchAll(/\{[^{}]*\}/g)].map(([text]) => parsed(text)).filter(isRow);
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  if (names.length === 0) return undefined;
  return { name, columns: names.map((each) => columnOf(each, valuesOf(each, records))), rows: undefined };
}

export function columnOf(name: string, values: string[]): Column {
  const stems = wordsOf(name.replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ').replaceAll('_', ' ')).map(
    (word) => word.stem,
  );
  const bare = stems.length > 1 && unit.has(stems.at(-1) ?? '') ? stems.slice(0, -1) : stems;
  return { name, stems: bare, values };
}

/** Whether a column can be summed up: identifiers and years are numbers only to the eye. */
export function isNumeric({ name, values }: Column): boolean {
  return !identifier.test(name) && values.every((value) => number.test(value));
}

export const isDate = ({ values }: Column): boolean =>
  values.length > 0 && values.every((value) => /^\d{4}-\d{2}(?:-\d{2}|$)/.test(value));

const yes = /^(?:yes|true)$/i;
const no = /^(?:no|false)$/i;

/** The values that say yes and no, as a column has them; undefined where it has others. */
export function yesAndNo({ values }: Column): { yes: string; no: string } | undefined {
  if (values.length === 0 || values.some((value) => !yes.test(value) && !no.test(value))) return undefined;
  return {
    yes: values.find((value) => yes.test(value)) ?? (values.includes('false') ? 'true' : 'yes'),
    no: values.find((value) => no.test(value)) ?? (values.includes('true') ? 'false' : 'no'),
  };
}

/** Whether questions may name a column's values in words. */
export const isNaming = (column: Column): boolean =>
  !isNumeric(column) && !isDate(column) && yesAndNo(column) === undefined;

/** What lists the values of a column: by it they become known where the preview does not show all. */
export const valuesCall = (table: Table, column: Column): Row => ({
  name: table.name,
  group_by: [column.name],
  aggregate: [{ function: 'count' }],
});

/** The table with the values that were asked for by `valuesCall`. */
export function withValues(table: Table, calls: Use[]): Table {
  return {
    ...table,
    columns: table.columns.map((column) => {
      const call = calls.find((each) => isSame(each, valuesCall(table, column)));
      const found = call === undefined ? [] : valuesOf(column.name, resultIn(call.result)?.rows ?? []);
      return { ...column, values: distinct([...column.values, ...found]) };
    }),
  };
}

export const isSame = ({ tool, input }: Use, wanted: Row): boolean =>
  tool === queryTool && JSON.stringify(input) === JSON.stringify(wanted);

/** What the tool has returned. */
export interface QueryResult {
  rows: Row[];
  /** Rows of the table, and those of them that meet the conditions. */
  lookedAt: number;
  matched: number;
  /** How many rows of the result are left out. */
  more: number;
  /** How many cells were left out, since they are no numbers. */
  notNumbers: number;
}

/** Undefined: an error, or of another shape. */
export function resultIn(text: string): QueryResult | undefined {
  const value = parsed(text);
  if (!isRow(value) || !Array.isArray(value['rows'])) return undefined;
  const { looked_at: lookedAt, matched, more, not_numbers: notNumbers, rows } = value;
  const left = Object.values(isRow(notNumbers) ? notNumbers : {});
  return {
    rows: rows.filter(isRow),
    lookedAt: Number(lookedAt ?? rows.length),
    matched: Number(matched ?? rows.length),
    more: Number(more ?? 0),
    notNumbers: left.reduce<number>((sum, each) => sum + Number(each), 0),
  };
}

/** The columns that an error names. */
export const columnsIn = (error: string): string[] =>
  /\bthe columns are (.+?)\.?$/m.exec(error)?.[1]?.split(', ') ?? [];

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const valuesOf = (name: string, rows: Row[]): string[] => distinct(rows.map((row) => textOf(row[name])));

const distinct = (values: string[]): string[] => [...new Set(values.filter((value) => value !== ''))];

export const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : String((value as string | number | boolean | null | undefined) ?? '');
