import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseSync, StatementSync } from 'node:sqlite';

type Value = string | number | Uint8Array | null;
type Row = ReturnType<StatementSync['get']>;

/** For how long an operation waits for a lock that another process holds, in milliseconds. */
const patienceMs = 5000;

/** The first wait for a lock, and the longest one, in milliseconds. */
const shortest = 1;
const longest = 50;

/** A database that prepares each statement once, and waits for other processes without holding up this one. */
export class SqliteStatements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  #lastWrite: Promise<unknown> = Promise.resolve();

  /** @param database one without a busy timeout: SQLite waits by blocking the whole process */
  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * Does some work in a transaction. It takes the write lock before the first read, since a deferred transaction fails at
   * once when it turns from reading to writing while another one writes.
   *
   * @throws what the work throws; SQLite's error if another process holds the lock for more than five seconds
   */
  write<T>(work: () => T): Promise<T> {
    const deadline = Date.now() + patienceMs;
    // One at a time: many that wait for the lock would take it from one another.
    const written = this.#lastWrite.then(() => unlocked(() => this.#transaction(work), deadline));
    this.#lastWrite = written.catch(() => {});
    return written;
  }

  /** Does some reading. A writer does not keep it waiting, but a process that recovers the file does. */
  read<T>(work: () => T): Promise<T> {
    return unlocked(work, Date.now() + patienceMs);
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

  async close(): Promise<void> {
    await this.#lastWrite;
    this.#database.close();
  }

  #transaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite has rolled back by itself if the disk is full or broken.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #statement(sql: string): StatementSync {
    const statement = this.#prepared.get(sql) ?? this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }
}

/** Does some work as soon as no other process has locked what it needs. @throws SQLite's error after the deadline */
async function unlocked<T>(work: () => T, deadline: number): Promise<T> {
  for (let wait = shortest; ; wait = Math.min(longest, wait * 2)) {
    try {
      return work();
    } catch (error) {
      if (!locked.includes(resultOf(error)) || Date.now() >= deadline) throw error;
    }
    await pause(wait);
  }
}

/** Results of SQLite by https://sqlite.org/rescode.html: BUSY, LOCKED. */
const locked = [5, 6];

/** The same with READONLY, IOERR, FULL and CANTOPEN. */
const passing = [...locked, 8, 10, 13, 14];

/** The result that SQLite gave, without its extension; 0 for an error of another kind. */
function resultOf(error: unknown): number {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : 0;
}

/** Whether the store is out of order for now (locked, full, not writable), so that the same work may succeed later. */
export const isOutOfOrder = (error: unknown): boolean => passing.includes(resultOf(error));
