import { DatabaseSync } from 'node:sqlite';
import { tablesOf } from './content.ts';
import { grouped } from '../../util/file-limits.ts';
import { uniqueNames } from './names.ts';
import type { Table } from './table.ts';
import type { AttachmentKind } from '../../protocol/attachment.ts';
import { typedColumn } from './columns.ts';
import { beginningOf } from '../../workflows/runtime/size.ts';

export interface TableQuery {
  text: string;
  kind: AttachmentKind;
  mediaType: string;
  sql: string;
}

export interface QueryResult {
  table: string;
  table_rows: number;
  columns: string[];
  rows: unknown[][];
  /** Says of how many rows these are the first, if they are not all. */
  note?: string;
}

const mostRows = 200;
/** The greatest lengths of the rows as JSON, of a cell, and of the names of the columns, in characters. */
const longest = 20_000;
const longestCell = 5000;
const longestNames = 4000;

/**
 * Answers one query over one table with SQLite. It must be run in a process of its own, since no thread can be ended while SQLite
 * is at work in it.
 *
 * @param post is told what is loaded: `data("region" TEXT, "amount" REAL)`
 * @throws `Error` that says what is wrong with the table or the query
 */
export default function answer({ text, sql, ...found }: TableQuery, post: (table: string) => void): QueryResult {
  const all = tablesOf(found, text);
  if (all.size === 0) throw new Error('the file is not a list of records; read_attachment reads it');
  const tables = [...all].filter(([, { columns }]) => columns.length > 0);
  if (tables.length === 0) throw new Error('the table is empty');
  const db = new DatabaseSync(':memory:');
  // Otherwise SQLite writes to files what does not fit into its cache.
  db.exec('PRAGMA temp_store = MEMORY');
  const table = cut(loadAll(db, tables), longestNames);
  post(table);
  const rows = tables.reduce((sum, [, { rows: some }]) => sum + some.length, 0);
  return { table, table_rows: rows, ...select(db, sql) };
}

/** Loads tables under their names. The first one is called `data` too. @returns what they are, for whoever writes a query */
function loadAll(db: DatabaseSync, tables: Array<[name: string, table: Table]>): string {
  const names = uniqueNames(tables.map(([name]) => (/^sqlite_/i.test(name) ? `_${name}` : name)));
  const loaded = tables.map(([, table], index) => load(db, names[index] ?? '', table));
  const [first = 'data'] = names;
  if (names.some((name) => name.toLowerCase() === 'data')) return loaded.join(', ');
  db.exec(`CREATE VIEW data AS SELECT * FROM ${quotedName(first)}`);
  return `${loaded.join(', ')}; data is ${quotedName(first)} too`;
}

function load(db: DatabaseSync, name: string, { columns, rows }: Table): string {
  const typed = columns.map((_, index) => typedColumn(rows.map((row) => row[index] ?? '')));
  const declared = columns.map((column, index) => `${quotedName(column)} ${typed[index]?.type}`);
  const table = name === 'data' ? name : quotedName(name);
  db.exec(`CREATE TABLE ${table} (${declared.join(', ')}); BEGIN`);
  const insert = db.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`);
  for (const index of rows.keys()) insert.run(...typed.map(({ values }) => values[index] ?? null));
  db.exec('COMMIT');
  return `${table}(${declared.join(', ')})`;
}

function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Runs one SELECT and nothing else. The statement that is prepared first, and never run, puts the query where SQLite's
 * grammar allows a subquery or a table, which neither another statement nor two statements are. The tables that SQLite
 * brings along have no effects, since it has tables only for those PRAGMAs that just tell something.
 */
function select(db: DatabaseSync, given: string): Pick<QueryResult, 'columns' | 'rows' | 'note'> {
  const query = given.replace(/[;\s]+$/, '');
  db.prepare(`SELECT * FROM (\n${query}\n)`);
  const statement = db.prepare(query);
  statement.setReturnArrays(true);
  const rows: unknown[][] = [];
  let count = 0;
  let length = 0;
  for (const row of statement.iterate() as Iterable<unknown>) {
    count += 1;
    if (count > mostRows || length > longest) continue;
    const shown = (row as unknown[]).map(shownValue);
    length += JSON.stringify(shown).length;
    if (length <= longest) rows.push(shown);
  }
  return {
    columns: statement.columns().map(({ name }) => name),
    rows,
    ...(count > rows.length && {
      note: `the first ${rows.length} of ${grouped(count)} rows; at most ${mostRows}, and ${grouped(longest)} characters, are shown`,
    }),
  };
}

function shownValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return `(${grouped(value.length)} bytes)`;
  // A double is exact to 15 digits, which make 0.1 + 0.2 the expected 0.3.
  if (typeof value === 'number') return Number(value.toPrecision(15));
  return typeof value === 'string' ? cut(value, longestCell) : value;
}

function cut(long: string, most: number): string {
  return long.length <= most ? long : `${beginningOf(long, most)}… (${grouped(long.length)} characters)`;
}
