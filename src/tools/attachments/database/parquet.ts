import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects, parquetSchema, type SchemaElement } from 'hyparquet';
import { columnNames } from '../table.ts';

type Unpack = (packed: Uint8Array, options: { maxOutputLength: number }) => Buffer;

const unpacking = (unpack: Unpack) => (packed: Uint8Array, length: number) =>
  new Uint8Array(unpack(packed, { maxOutputLength: Math.max(1, length) }));

/** Besides those that the library has itself. */
const compressors = {
  GZIP: unpacking(gunzipSync),
  BROTLI: unpacking(brotliDecompressSync),
  ZSTD: unpacking(zstdDecompressSync),
};

/**
 * Loads Parquet as the table `data` of a database in memory. Days and times are texts such as `2026-03-31`, nested values JSON.
 *
 * @throws `Error` if it is damaged, or packed in an unknown way
 */
export async function loadParquet(bytes: Uint8Array): Promise<DatabaseSync> {
  const file = new Uint8Array(bytes).buffer;
  const metadata = parquetMetadata(file);
  const columns = parquetSchema(metadata).children.map(({ element }) => element);
  if (columns.length === 0) throw new Error('it has no columns');
  const names = columnNames(columns.map(({ name }) => name));
  const declared = columns.map((column, index) => `"${names[index]?.replaceAll('"', '""')}" ${typeOf(column)}`);
  const db = new DatabaseSync(':memory:');
  db.exec(`CREATE TABLE data (${declared.join(', ')}); BEGIN`);
  const insert = db.prepare(`INSERT INTO data VALUES (${columns.map(() => '?').join(', ')})`);
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const rows = await parquetReadObjects({ file, metadata, compressors, parsers, rowStart, rowEnd });
    for (const row of rows) insert.run(...columns.map((column) => valueOf(row[column.name], column)));
    rowStart = rowEnd;
  }
  db.exec('COMMIT');
  return db;
}

/** The library's own times end with milliseconds. */
const parsers = {
  timestampFromMicroseconds: (micros: bigint) => exactTime(micros, 6),
  timestampFromNanoseconds: (nanos: bigint) => exactTime(nanos, 9),
};

/** A time in parts of a second since 1970, with all digits: `2026-03-31 12:00:00.123456`. */
function exactTime(count: bigint, digits: number): string {
  const second = 10n ** BigInt(digits);
  const fraction = ((count % second) + second) % second;
  const time = timeOf(new Date(Number((count - fraction) / second) * 1000), false) ?? '';
  return `${time}.${String(fraction).padStart(digits, '0')}`.replace(/\.?(000)+$/, '');
}

/** The columns of Parquet whose decimals have more digits than a number is exact to. */
export const inexactIn = (bytes: Uint8Array): string[] =>
  parquetSchema(parquetMetadata(new Uint8Array(bytes).buffer))
    .children.map(({ element }) => element)
    .filter((column) => saidType(column) === 'DECIMAL' && (column.precision ?? 0) > 15)
    .map(({ name }) => name);

const saidType = ({ converted_type: converted, logical_type: logical, type }: SchemaElement): string =>
  converted ?? logical?.type ?? type ?? '';

/** The type that is declared, which tells whoever writes a query what there is. */
function typeOf(column: SchemaElement): string {
  // SQLite's integers end before those of 64 bits without a sign, and its numbers are less exact.
  if (saidType(column) === 'UINT_64') return '';
  if (/^(BOOLEAN|U?INT(EGER|_?(8|16|32|64)))$/.test(saidType(column))) return 'INTEGER';
  return /^(FLOAT|DOUBLE|DECIMAL)/.test(saidType(column)) ? 'REAL' : 'TEXT';
}

function valueOf(value: unknown, column: SchemaElement): SQLInputValue {
  if (value === undefined || value === null) return null;
  if (/^TIME(_|$)/.test(saidType(column))) return timeOfDay(Number(value), column);
  if (typeof value === 'number' || typeof value === 'string' || value instanceof Uint8Array) return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : String(value);
  if (value instanceof Date) return timeOf(value, saidType(column) === 'DATE');
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? exact(inner) : inner));
}

const exact = (value: bigint): number | string => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value));

function timeOfDay(count: number, { converted_type: converted, logical_type: logical }: SchemaElement): string {
  const unit = logical?.type === 'TIME' ? logical.unit : converted?.slice('TIME_'.length);
  const milliseconds = count / { MILLIS: 1, MICROS: 1e3, NANOS: 1e6 }[unit as 'MILLIS' | 'MICROS' | 'NANOS'];
  const [, time = ''] = /T(.*?)(?:\.000)?Z$/.exec(new Date(milliseconds).toISOString()) ?? [];
  return time;
}

/** Without a zone, which Parquet seldom has: `2026-03-31 12:00:00`. */
function timeOf(time: Date, isDayAlone: boolean): string | null {
  if (Number.isNaN(time.getTime())) return null;
  const text = time.toISOString();
  return isDayAlone ? text.replace(/T.*$/, '') : text.replace('T', ' ').replace(/(\.000)?Z$/, '');
}
