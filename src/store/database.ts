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
  /** Does some reading. It sees what is committed, and each of its statements sees the newest of it. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Does some work in a transaction, which is on the disk when this returns. The work awaits nothing but its statements,
   * and may be done again from its beginning when another transaction is in its way.
   *
   * @throws what the work throws, after which nothing of it is kept; the database's error
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Waits for the work under way. */
  close(): Promise<void>;
}
