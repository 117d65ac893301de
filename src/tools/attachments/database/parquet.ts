import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects, parquetSchema, type SchemaElement, type SchemaTree } from 'hyparquet';
import { columnNames } from '../table.ts';
import { arrowColumns } from './arrow-schema.ts';

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
    const rows = await parquetReadObjects({ file, metadata, compressors, parsers, utf8: false, rowStart, rowEnd });
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

/** What is to be said of the columns of Parquet. @param db as which it is loaded */
export function notesOnParquet(bytes: Uint8Array, db: DatabaseSync): string[] {
  const metadata = parquetMetadata(new Uint8Array(bytes).buffer);
  const columns = parquetSchema(metadata).children;
  const schema = metadata.key_value_metadata?.find(({ key }) => key === 'ARROW:schema')?.value;
  const arrow = arrowColumns(schema);
  const named = (fits: (column: SchemaTree, index: number) => boolean): string =>
    columns
      .filter(fits)
      .map(({ element }) => element.name)
      .join(', ');
  const inexact = named(({ element }) => saidType(element) === 'DECIMAL' && (element.precision ?? 0) > 15);
  const inZones = columns.filter(hasUtc).map(({ element: { name } }) => {
    const { zone = 'UTC' } = arrow.get(name) ?? {};
    return zone === 'UTC' ? name : `${name} (written in ${zone})`;
  });
  const loaded = db.prepare('SELECT name FROM pragma_table_info(?)').all('data');
  const hasBytes = (index: number): boolean => {
    const column = `"${String(loaded[index]?.['name']).replaceAll('"', '""')}"`;
    return db.prepare(`SELECT 1 FROM data WHERE typeof(${column}) = 'blob' LIMIT 1`).get() !== undefined;
  };
  const bare = named((column, index) => column.children.length === 0 && isBytes(column.element) && hasBytes(index));
  const durations = [...arrow].flatMap(([name, { duration }]) => (duration ? [`${name} in ${duration}`] : []));
  return [
    inexact !== '' && `of the decimals of ${inexact} about 15 digits are exact, and they may have more`,
    inZones.length > 0 && `times in UTC (Z): ${inZones.join(', ')}`,
    durations.length > 0 && `durations: ${durations.join(', ')}`,
    bare !== '' && `bytes that are no text, which hex() in a query shows: ${bare}`,
  ].filter((note) => note !== false);
}

/** Whether a column has times that are counted in UTC, or a column in it: of old ones all are (parquet-format, LogicalTypes). */
const hasUtc = ({ children, element }: SchemaTree): boolean => isUtc(element) || children.some(hasUtc);

const isUtc = ({ converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  logical?.type === 'TIMESTAMP' ? logical.isAdjustedToUTC : converted?.startsWith('TIMESTAMP_') === true;

const isBytes = (column: SchemaElement): boolean => saidType(column).endsWith('BYTE_ARRAY');

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
  if (/^TIME(_|$)/.test(saidType(column))) return timeOfDay(BigInt(Number(value)), column);
  if (typeof value === 'string') return isUtc(column) ? `${value}Z` : value;
  if (value instanceof Uint8Array) return textOf(value) ?? value;
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : String(value);
  if (value instanceof Date) {
    const time = timeOf(value, saidType(column) === 'DATE');
    return time !== null && isUtc(column) ? `${time}Z` : time;
  }
  return JSON.stringify(value, (_, inner: unknown) => {
    if (inner instanceof Uint8Array) return textOf(inner) ?? Buffer.from(inner).toString('hex');
    return typeof inner === 'bigint' ? exact(inner) : inner;
  });
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text that bytes are, which old programs do not call one; undefined if they are none. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = decoder.decode(bytes);
    return /[^\P{Cc}\s]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

const exact = (value: bigint): number | string => (Number.isSafeInteger(Number(value)) ? Number(value) : String(value));

const digitsOf = { MILLIS: 3, MICROS: 6, NANOS: 9 };

function timeOfDay(count: bigint, { converted_type: converted, logical_type: logical }: SchemaElement): string {
  const unit = logical?.type === 'TIME' ? logical.unit : converted?.slice('TIME_'.length);
  const [, time = ''] = exactTime(count, digitsOf[unit as keyof typeof digitsOf]).split(' ');
  return time;
}

/** Without a zone: `2026-03-31 12:00:00`. */
function timeOf(time: Date, isDayAlone: boolean): string | null {
  if (Number.isNaN(time.getTime())) return null;
  const text = time.toISOString();
  return isDayAlone ? text.replace(/T.*$/, '') : text.replace('T', ' ').replace(/(\.000)?Z$/, '');
}
