import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { grouped } from '../../../util/file-limits.ts';
import { openDatabase, quotedName, rowsOf, tablesIn, type DatabaseFile, type DatabaseTable } from './database.ts';
import { noted, type Readable } from '../readable.ts';
import { sheetHeading } from '../sheet-text.ts';
import { parquetType } from '../recognise.ts';
import { inexactIn } from './parquet.ts';
import { csvLine } from '../table.ts';

/** How long the text of all tables is at most, in characters. Queries see all rows. */
const maxChars = 4_000_000;

/** Reads the tables of a database as those of a workbook: each under its heading, as CSV, in a process of its own. */
export default async function readDatabase(file: DatabaseFile): Promise<Readable> {
  const db = await openDatabase(file);
  const found = tablesIn(db);
  const tables = found.filter(({ isView }) => !isView);
  const views = found.filter(({ isView }) => isView).map(({ name }) => name);
  const notes: string[] = [];
  const parts = tables.map((table, index) => {
    const { isCut, rows, text } = textOf(db, table, maxChars / tables.length);
    if (isCut)
      notes.push(`of the table ${table.name} the first ${grouped(rows)} rows are in its text; query_table sees all`);
    return `${sheetHeading(index + 1, table.name)}\n${text}`;
  });
  // A view may be a computation without an end.
  if (views.length > 0) notes.push(`its views (${views.join(', ')}) are not in its text; query_table sees them`);
  const inexact = file.mediaType === parquetType ? inexactIn(file.bytes) : [];
  if (inexact.length > 0)
    notes.push(`of the decimals of ${inexact.join(', ')} about 15 digits are exact, and they may have more`);
  if (file.bytes[18] === 2) notes.push('what is only in the file -wal beside it is missing');
  if (found.length === 0) return { note: 'it has no tables' };
  return { text: parts.join('\n'), ...noted(notes) };
}

function textOf(db: DatabaseSync, { columns, name }: DatabaseTable, most: number) {
  let text = csvLine(columns.map((column) => column.name));
  let rows = 0;
  for (const row of rowsOf(db.prepare(`SELECT * FROM ${quotedName(name)}`))) {
    const line = csvLine(row.map(cellOf));
    if (text.length + line.length > most) return { text, rows, isCut: true };
    text += line;
    rows += 1;
  }
  return { text, rows, isCut: false };
}

function cellOf(value: SQLOutputValue): string {
  if (value instanceof Uint8Array) return `(${grouped(value.length)} bytes)`;
  return value === null ? '' : String(value).replaceAll(/[\r\n]+/g, ' ');
}
