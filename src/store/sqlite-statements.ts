import type { DatabaseSync, StatementSync } from 'node:sqlite';

type Value = string | number | null;
type Row = ReturnType<StatementSync['get']>;

/** A database whose statements are prepared once. */
export class SqliteStatements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Takes the write lock before it reads: a read that turns into a write in a deferred transaction fails at once. */
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

  close(): void {
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}
