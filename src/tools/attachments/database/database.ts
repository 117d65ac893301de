import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { grouped } from '../../../util/file-limits.ts';
import { noted, type Readable, type TypedBytes } from '../readable.ts';
import { parquetType, sqliteType } from '../recognise.ts';
import { csvLine, sheetHeading } from '../table.ts';

/** Its library takes a while to load, and most queries are of other files. */
const forParquet = () => import('./parquet.ts');

export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Opens an SQLite database or Parquet, in a process of its own. @throws `Error` if it is damaged */
export async function openDatabase({ bytes, mediaType }: TypedBytes): Promise<DatabaseSync> {
  const db = mediaType === sqliteType ? openFile(bytes) : await (await forParquet()).loadParquet(bytes);
  // A view must not call what has effects, and what does not fit into the cache is not written to files.
  db.exec('PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY');
  return db;
}

/** SQLite opens nothing but files. This one has lost its name before a query runs, and is gone when the process is. */
function openFile(bytes: Uint8Array): DatabaseSync {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-database-'));
  try {
    const path = join(folder, 'database');
    writeFileSync(path, bytes, { mode: 0o600 });
    // Nothing beside it is looked for, such as a journal.
    const db = new DatabaseSync(new URL('?immutable=1', pathToFileURL(path)), { readOnly: true });
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tables in the order in which they were made, then the views. Those that belong to an index of words are left out. */
export function tablesIn(db: DatabaseSync) {
  const found = db.prepare(
    `SELECT s.name, s.type = 'view' AS is_view FROM sqlite_schema s JOIN pragma_table_list t ON t.name = s.name
     WHERE t.schema = 'main' AND t.type <> 'shadow' AND s.type IN ('table', 'view') AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
     ORDER BY s.type, s.rowid`,
  );
  return found.all().map((row) => {
    const name = String(row['name']);
    const columns = db.prepare('SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1').all(name);
    return {
      name,
      isView: row['is_view'] === 1,
      columns: columns.map((column) => ({ name: String(column['name']), type: String(column['type']) })),
    };
  });
}

/** Rows as arrays, with whole numbers of any size. */
export function rowsOf(statement: StatementSync): Iterable<SQLOutputValue[]> {
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  return statement.iterate() as Iterable<unknown> as Iterable<SQLOutputValue[]>;
}

/** Reads the tables of a database as those of a workbook: each under its heading, as CSV. In a process of its own. */
export default async function readDatabase(file: TypedBytes): Promise<Readable> {
  const db = await openDatabase(file);
  const found = tablesIn(db);
  const tables = found.filter(({ isView }) => !isView);
  const views = found.filter(({ isView }) => isView).map(({ name }) => name);
  const notes: string[] = [];
  const parts = tables.map(({ columns, name }, index) => {
    let text = csvLine(columns.map((column) => column.name));
    let rows = 0;
    for (const row of rowsOf(db.prepare(`SELECT * FROM ${quotedName(name)}`))) {
      const line = csvLine(row.map(cellOf));
      if (text.length + line.length > 4_000_000 / tables.length) {
        notes.push(`of the table ${name} the first ${grouped(rows)} rows are in its text; query_table sees all`);
        break;
      }
      text += line;
      rows += 1;
    }
    return `${sheetHeading(index + 1, name)}\n${text}`;
  });
  // A view may be a computation without an end.
  if (views.length > 0) notes.push(`its views (${views.join(', ')}) are not in its text; query_table sees them`);
  if (file.mediaType === parquetType) notes.push(...(await forParquet()).notesOnParquet(file.bytes, db));
  if (file.bytes[18] === 2) notes.push('what is only in the file -wal beside it is missing');
  if (found.length === 0) return { note: 'it has no tables' };
  return { text: parts.join('\n'), ...noted(notes) };
}

function cellOf(value: SQLOutputValue): string {
  if (value instanceof Uint8Array) return `(${grouped(value.length)} bytes)`;
  return value === null ? '' : String(value).replaceAll(/[\r\n]+/g, ' ');
}
