/**
 * Answers one query over one table with SQLite. Takes a `TableQuery` as `workerData`, posts `QueryNews`, and ends. It must
 * be started by a process of its own, since no thread can be ended while SQLite is at work in it.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { tableOf } from '../../../files/content.ts';
import { grouped } from '../../../files/limits.ts';
import type { Table } from '../../../files/table.ts';
import type { AttachmentKind } from '../../../protocol/attachment.ts';
import { typedColumn } from './columns.ts';

export interface TableQuery {
  text: string;
  kind: AttachmentKind;
  mediaType: string;
  sql: string;
}

export type QueryNews =
  /** The table is loaded: `data("region" TEXT, "amount" REAL)`. */
  { table: string } | { result: QueryResult } | { problem: string };

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

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
const post = (news: QueryNews): void => parentPort?.postMessage(news);

const { text, kind, mediaType, sql } = workerData as TableQuery;
const table = tableOf({ kind, mediaType }, text);
if (table === undefined) post({ problem: 'the file is not a list of records; read_attachment reads it' });
else if (table.columns.length === 0) post({ problem: 'the table is empty' });
else answer(table);

function answer(table: Table): void {
  const db = new DatabaseSync(':memory:');
  try {
    // Otherwise SQLite writes to files what does not fit into its cache.
    db.exec('PRAGMA temp_store = MEMORY');
    const loaded = load(db, table);
    post({ table: loaded });
    post({ result: { table: loaded, table_rows: table.rows.length, ...select(db, sql) } });
  } catch (error) {
    post({ problem: (error as Error).message });
  }
}

function load(db: DatabaseSync, { columns, rows }: Table): string {
  const typed = columns.map((_, index) => typedColumn(rows.map((row) => row[index] ?? '')));
  const declared = columns.map((name, index) => `"${name.replaceAll('"', '""')}" ${typed[index]?.type}`);
  db.exec(`CREATE TABLE data (${declared.join(', ')}); BEGIN`);
  const insert = db.prepare(`INSERT INTO data VALUES (${columns.map(() => '?').join(', ')})`);
  for (const index of rows.keys()) insert.run(...typed.map(({ values }) => values[index] ?? null));
  db.exec('COMMIT');
  return `data(${cut(declared.join(', '), longestNames)})`;
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
  return long.length <= most ? long : `${long.slice(0, most)}… (${grouped(long.length)} characters)`;
}
