import type { DatabaseSync, StatementSync } from 'node:sqlite';

type Value = string | number | null;
type Row = ReturnType<StatementSync['get']>;

/** A database that prepares each statement once. */
export class SqliteStatements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * Does some work in a transaction. It takes the write lock before the first read, since a deferred transaction fails at
   * once when it turns from reading to writing while another one writes.
   */
  write<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  run(sql: string, ...values: Value[]): void {
    this.#statement(sql).run(...values);
  }

  get(sql: string, ...values: Value[]): Row {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: Value[]): Array<NonNullable<Row>> {
    return this.#statement(sql).all(...values);
  }

  /** Parses the first column of the first row as JSON. @returns undefined if there is no row */
  json(sql: string, ...values: Value[]): unknown {
    const row = this.get(sql, ...values);
    return row && JSON.parse(String(Object.values(row)[0]));
  }

  close(): void {
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
