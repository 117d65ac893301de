import { DatabaseSync } from 'node:sqlite';
import { tablesOf } from './content.ts';
import { openDatabase, quotedName, rowsOf, tablesIn } from './database/database.ts';
import { grouped } from '../../util/file-limits.ts';
import { uniqueNames } from './names.ts';
import { noted } from './readable.ts';
import type { Table } from './table.ts';
import type { AttachmentKind } from '../../protocol/attachment.ts';
import { typedColumns } from './columns.ts';
import { beginningOf, shortened } from '../../workflows/runtime/size.ts';

export interface TableQuery {
  text: string;
  /** Of a database, whose text is not all of it. */
  bytes?: Uint8Array;
  kind: AttachmentKind;
  mediaType: string;
  sql: string;
}

export interface QueryResult {
  table: string;
  table_rows: number;
  columns: string[];
  rows: unknown[][];
  note?: string;
  numbers?: string;
}

const mostRows = 200;
/** As many as SQLite takes. */
const mostColumns = 2000;
/** The greatest length of the rows as JSON, in characters. */
const maxChars = 20_000;

/**
 * Answers one query over a file's tables with SQLite. In a process of its own, since no thread can be ended while SQLite is
 * at work in it.
 *
 * @param post is told what is loaded: `data("region" TEXT, "amount" REAL)`
 */
export default async function answer(query: TableQuery, post: (table: string) => void): Promise<QueryResult> {
  const { bytes, mediaType, sql } = query;
  const ofDatabase = bytes && { db: await openDatabase({ bytes, mediaType }), taken: [], leftOut: [] };
  const { db, leftOut, taken } = ofDatabase ?? loaded(query);
  const all = tablesIn(db);
  const names = all.filter(({ isView }) => !isView).map(({ name }) => name);
  const [first] = names;
  if (first === undefined) throw new Error('it has no tables');
  const declared = all.map(({ columns, name }) => {
    const typed = columns.map((column) => `${quotedName(column.name)} ${column.type}`.trim());
    return `${name === 'data' ? name : quotedName(name)}(${typed.join(', ')})`;
  });
  // The first table is called `data` too.
  const hasData = all.some(({ name }) => name.toLowerCase() === 'data');
  if (!hasData) db.exec(`CREATE TEMP VIEW data AS SELECT * FROM main.${quotedName(first)}`);
  const table = cut(`${declared.join(', ')}${hasData ? '' : `; data is ${quotedName(first)} too`}`, 4000);
  post(table);
  const rowsIn = (name: string): number =>
    Number(db.prepare(`SELECT count(*) AS rows FROM main.${quotedName(name)}`).get()?.['rows']);
  const table_rows = names.reduce((sum, name) => sum + rowsIn(name), 0);
  const { note, ...answered } = select(db, sql);
  return {
    table,
    table_rows,
    ...(taken.length > 0 && { numbers: taken.join('; ') }),
    ...answered,
    ...noted([...leftOut, note]),
  };
}

/** A database in memory with the tables of a text, what was taken for which number, and which tables lack columns. */
function loaded({ text, ...found }: TableQuery) {
  const tables = [...tablesOf(found, text)].filter(([, { columns }]) => columns.length > 0);
  if (tables.length === 0) throw new Error('the table is empty');
  const db = new DatabaseSync(':memory:');
  // Otherwise SQLite writes to files what does not fit into its cache.
  db.exec('PRAGMA temp_store = MEMORY');
  const names = uniqueNames(tables.map(([name]) => (/^sqlite_/i.test(name) ? `_${name}` : name)));
  const leftOut = tables.flatMap(([, { columns }], index) =>
    columns.length > mostColumns
      ? [`of the ${grouped(columns.length)} columns of ${names[index]} the first ${grouped(mostColumns)} are read`]
      : [],
  );
  return { db, leftOut, taken: tables.flatMap(([, table], index) => load(db, names[index] ?? '', table)) };
}

function load(db: DatabaseSync, name: string, { columns: all, mark, rows }: Table): string[] {
  const columns = all.slice(0, mostColumns);
  const cells = columns.map((_, index) => rows.map((row) => row[index] ?? ''));
  const count = rows.length;
  // Of a table of millions of rows there is no room for both.
  rows.length = 0;
  const typed = typedColumns(cells, mark);
  const declared = columns.map((column, index) => `${quotedName(column)} ${typed[index]?.type}`);
  db.exec(`CREATE TABLE ${quotedName(name)} (${declared.join(', ')}); BEGIN`);
  const insert = db.prepare(`INSERT INTO ${quotedName(name)} VALUES (${columns.map(() => '?').join(', ')})`);
  for (let index = 0; index < count; index++) insert.run(...typed.map(({ values }) => values[index] ?? null));
  db.exec('COMMIT');
  return typed.flatMap(({ other, taken }, index) => {
    const no = 'is no plain number, so that sum, avg and CAST take it for 0 or the digits it begins with';
    const said = other === undefined ? taken : `${shortened(other, 30)} ${no}`;
    return said === undefined ? [] : [`in ${quotedName(columns[index] ?? '')} ${said}`];
  });
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
  const rows: unknown[][] = [];
  let count = 0;
  let length = 0;
  for (const row of rowsOf(statement)) {
    count += 1;
    if (count > mostRows || length > maxChars) continue;
    const shown = row.map(shownValue);
    length += JSON.stringify(shown).length;
    if (length <= maxChars) rows.push(shown);
  }
  return {
    columns: statement.columns().map(({ name }) => name),
    rows,
    ...(count > rows.length && {
      note: `the first ${rows.length} of ${grouped(count)} rows; at most ${mostRows}, and ${grouped(maxChars)} characters, are shown`,
    }),
  };
}

function shownValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Uint8Array) return `(${grouped(value.length)} bytes)`;
  // A double is exact to 15 digits, which make 0.1 + 0.2 the expected 0.3.
  if (typeof value === 'number') return Number(value.toPrecision(15));
  return typeof value === 'string' ? cut(value, 5000) : value;
}

function cut(long: string, most: number): string {
  return long.length <= most ? long : `${beginningOf(long, most)}… (${grouped(long.length)} characters)`;
}
