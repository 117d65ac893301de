import type { Cipher } from '../encryption/cipher.ts';

/** What a statement is given. Truth values are 1 and 0. */
export type Value = string | number | Uint8Array | null;

/** A row by the names of its columns. */
export type Row = Record<string, Value | bigint>;

/** Statements in the SQL that SQLite and PostgreSQL have in common, with `?` for each value. */
export interface Sql {
  /** @returns how many rows it has inserted, changed or deleted */
  run(sql: string, ...values: Value[]): Promise<number>;
  /** @returns the first row; undefined if there is none */
  get(sql: string, ...values: Value[]): Promise<Row | undefined>;
  all(sql: string, ...values: Value[]): Promise<Row[]>;
}

/** An open database whose schema is that of this version. */
export interface Database {
  /** Each statement of the work sees the newest of what is committed. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Does some work in a transaction, which is on the disk when this returns, and of which nothing is kept if it throws. The
   * work awaits nothing but its statements, and may be done again when another transaction is in its way.
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** The bytes that it takes, and how many of them hold nothing. */
  size(): Promise<{ bytes: number; free: number }>;
  /** Gives back room that holds nothing, a little at a time. @returns false where the database does so by itself */
  shrink(): Promise<boolean>;
  /** Waits for the work under way. */
  close(): Promise<void>;
}

/** The time in seconds since 1970, as rows have it. */
export const now = (): number => Math.floor(Date.now() / 1000);

/**
 * What follows the insertion of a row that is named by its content, and may be there already: it then counts as written now,
 * unless it does so nearly. Otherwise `prune` could remove it although a workflow has just noted that it needs it.
 */
export const orTouch = (table: string): string =>
  `ON CONFLICT (id) DO UPDATE SET touched_at = excluded.touched_at WHERE ${table}.touched_at < excluded.touched_at - 3600`;

/** The columns of JSON texts that are sealed, in tables with a key. */
type JsonColumn =
  | 'segments.messages'
  | 'replies.result'
  | 'tool_results.result'
  | 'checkpoints.state'
  | 'reports.report';

export const sealedJson = (cipher: Cipher, column: JsonColumn, key: string, content: object): string =>
  cipher.encryptText(JSON.stringify(content), `${column} ${key}`);

export function openedJson(cipher: Cipher, column: JsonColumn, key: string, row: Row): unknown {
  const stored = String(row[column.slice(column.indexOf('.') + 1)]);
  return JSON.parse(cipher.decryptText(stored, `${column} ${key}`));
}
