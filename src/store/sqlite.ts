import { AsyncLocalStorage } from 'node:async_hooks';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { statSync } from 'node:fs';
import { privateFile, privateFolder } from '../util/private-files.ts';
import { type Cipher, plain } from '../encryption/cipher.ts';
import type { Database, Row, Sql, Value } from './database.ts';
import { sqlStore, type SqlStore } from './sql-store.ts';
import type { Store } from './store.ts';
import { assertKnown, schemaVersion, tables } from './tables.ts';

/**
 * The file of the store is not what it was when it was opened, or can be neither read nor written. Work waits for it: an
 * operator may bring it back.
 */
export class StoreFileError extends Error {
  override name = 'StoreFileError';
}

/** Results of SQLite by https://sqlite.org/rescode.html: READONLY, CORRUPT, NOTADB. */
const troubles: Record<number, string> = {
  8: 'cannot be written: make it and its folder writable (or mount the disk so) for the user of the worker',
  11: 'is damaged: end the workers, and put back a copy of it, or what `sqlite3 FILE .recover` saves',
  26: 'is damaged, or no store at all: end the workers, and put back a copy of it',
};

/** The file of an open SQLite store, which SQLite itself goes on using when it is deleted or replaced. */
class StoreFile {
  readonly #path: string;
  readonly #opened: string | undefined;

  /** @param path of a file that is open */
  constructor(path: string) {
    this.#path = path;
    this.#opened = inodeOf(path);
  }

  /** @throws `StoreFileError` where the path leads to another file by now, or to none: what is written would be lost */
  assertSame(): void {
    const present = inodeOf(this.#path);
    if (present === this.#opened) return;
    const what = present === undefined ? 'was deleted or moved away' : 'was replaced by another file';
    throw new StoreFileError(
      `The store ${this.#path} ${what} while this worker ran. Put the old one back and all goes on; ` +
        'if it is lost, end the workers: runs that have begun on it cannot go on without it',
    );
  }

  /** An error of SQLite that says which file it is about, and what to do; other errors as they are. */
  explained(error: unknown, result: number): unknown {
    const trouble = troubles[result];
    return trouble === undefined
      ? error
      : new StoreFileError(`The store ${this.#path} ${trouble} (${(error as Error).message})`, { cause: error });
  }
}

function inodeOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}/${stats.ino}`;
}

/**
 * Opens the embedded store, an SQLite file that several workers of one machine may share. A commit is on the disk when
 * it returns (WAL, `synchronous = FULL`).
 *
 * @param file the path of the file, whose folder is created if it is missing
 * @throws `Error` if a newer version wrote the file, or if it cannot be opened
 */
export function openSqliteStore(file: string, cipher: Cipher = plain): SqlStore {
  privateFolder(dirname(file));
  privateFile(file);
  const writing = new DatabaseSync(file, { timeout: 5000 });
  prepareSchema(writing, file);
  // SQLite waits for a lock by blocking the process, which at this point has nothing else to do yet.
  writing.exec('PRAGMA busy_timeout = 0');
  return sqlStore(new SqliteDatabase(writing, new DatabaseSync(file), new StoreFile(file)), cipher);
}

/** Opens an existing store to read from it, and changes nothing there. @throws `Error` if it cannot be opened */
export function readSqliteStore(file: string, cipher: Cipher = plain): Store {
  const reading = new DatabaseSync(file, { readOnly: true });
  return sqlStore(new SqliteDatabase(reading, reading, new StoreFile(file)), cipher);
}

const schema = `
  CREATE TABLE identity (id TEXT NOT NULL);
  INSERT INTO identity VALUES (lower(hex(randomblob(8))));
  ${tables({ big: 'INTEGER', binary: 'BLOB', counted: 'INTEGER', keyed: ' WITHOUT ROWID', real: 'REAL' })}
`;

/** Makes the tables in an empty file, even if two processes do so at once. */
function prepareSchema(database: DatabaseSync, file: string): void {
  // The file gives room back when `prune` asks for it, which has to be said before it has a table.
  database.exec(
    'PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;',
  );
  database.exec('BEGIN IMMEDIATE');
  try {
    const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
    assertKnown(found, file);
    if (found === 0) database.exec(`${schema}; PRAGMA user_version = ${schemaVersion}`);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** For how long an operation waits for a lock that another process holds, and the first and the longest pause. */
const timeoutMs = 5000;
const minDelayMs = 1;
const maxDelayMs = 50;

/** How many are given back in one transaction. */
const pagesAtOnce = 500;

/**
 * An SQLite file that waits for other processes without holding up this one. Its reads have a connection of their own, or
 * those that come between the statements of a transaction would see what it has not committed.
 */
export class SqliteDatabase implements Database {
  readonly #writing: DatabaseSync;
  readonly #reading: DatabaseSync;
  readonly #write: Sql;
  readonly #read: Sql;
  readonly #file: StoreFile | undefined;
  #waiting: Write[] = [];
  #writingNow: Promise<void> | undefined;

  /** @param writing and `reading`: connections without a busy timeout, since SQLite waits by blocking the whole process */
  constructor(writing: DatabaseSync, reading: DatabaseSync, file?: StoreFile) {
    this.#file = file;
    this.#writing = writing;
    this.#reading = reading;
    this.#write = statementsOf(writing);
    this.#read = statementsOf(reading);
  }

  /**
   * Does the work in one transaction with whatever else is to be written at that moment, since most of what a transaction
   * costs is that the disk confirms it.
   *
   * @throws SQLite's error if another process holds the lock for more than five seconds
   */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // Another write's turn must not make the work seem that one's activity's.
      this.#waiting.push({ work: AsyncLocalStorage.bind(work), resolve: resolve as (result: unknown) => void, reject });
      this.#writingNow ??= this.#writeAll();
    });
  }

  /** A writer does not keep reading waiting, but a process that recovers the file does. */
  async read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    this.#file?.assertSame();
    try {
      return await unlocked(() => work(this.#read));
    } catch (error) {
      throw this.#explained(error);
    }
  }

  async size(): Promise<{ bytes: number; free: number }> {
    const row = await this.read((sql) =>
      sql.get(
        `SELECT page_size * page_count AS bytes, page_size * freelist_count AS free
         FROM pragma_page_size, pragma_page_count, pragma_freelist_count`,
      ),
    );
    return { bytes: Number(row?.['bytes']), free: Number(row?.['free']) };
  }

  async shrink(): Promise<boolean> {
    while ((await this.size()).free > 0) {
      await this.write((sql) => sql.all(`PRAGMA incremental_vacuum(${pagesAtOnce})`));
      await pause(minDelayMs);
    }
    // The file itself becomes shorter with the next checkpoint, which others may hold up without harm.
    await this.read((sql) => sql.all('PRAGMA wal_checkpoint(TRUNCATE)'));
    return true;
  }

  async close(): Promise<void> {
    await this.#writingNow;
    this.#reading.close();
    if (this.#writing !== this.#reading) this.#writing.close();
  }

  /** One transaction at a time: they share a connection, and many that wait for the lock would take it from one another. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // What comes in with the same turn of the event loop, such as other replies, is to be written with it.
      await nextTurn();
      const writes = this.#waiting.splice(0, writesAtOnce);
      try {
        const results = await unlocked(() => this.#transaction(writes));
        for (const settle of results) settle();
      } catch (error) {
        const reason = this.#explained(error);
        for (const { reject } of writes) reject(reason);
      }
    }
    // At once: a write that comes in before anybody else learns of the end would wait for ever.
    this.#writingNow = undefined;
  }

  #explained = (error: unknown): unknown => this.#file?.explained(error, sqliteResult(error)) ?? error;

  /** @returns what tells each write how it has ended, which is to be called once all are committed */
  async #transaction(writes: Write[]): Promise<Array<() => void>> {
    const database = this.#writing;
    this.#file?.assertSame();
    // A deferred transaction fails at once when it turns from reading to writing while another one writes.
    database.exec('BEGIN IMMEDIATE');
    try {
      const ends: Array<() => void> = [];
      for (const { work, resolve, reject } of writes) {
        database.exec('SAVEPOINT one');
        try {
          const result = await work(this.#write);
          ends.push(() => resolve(result));
        } catch (error) {
          // SQLite has rolled back everything by itself if the disk is full or broken.
          if (!database.isTransaction || locked.includes(sqliteResult(error))) throw error;
          database.exec('ROLLBACK TO one');
          ends.push(() => reject(error));
        }
        database.exec('RELEASE one');
      }
      database.exec('COMMIT');
      return ends;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
}

interface Write {
  work: (sql: Sql) => Promise<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** How many writes share a transaction at most: it holds up the process for as long as it takes. */
const writesAtOnce = 50;

/** The statements of a connection, which prepares each of them once. They are done when their call returns. */
function statementsOf(database: DatabaseSync): Sql {
  const prepared = new Map<string, StatementSync>();
  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, known);
    return known;
  };
  return {
    run: async (sql: string, ...values: Value[]) => Number(statement(sql).run(...values).changes),
    get: async (sql: string, ...values: Value[]): Promise<Row | undefined> => statement(sql).get(...values),
    all: async (sql: string, ...values: Value[]): Promise<Row[]> => statement(sql).all(...values),
  };
}

/** Does some work as soon as no other process has locked what it needs. @throws SQLite's error after five seconds */
async function unlocked<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (let wait = minDelayMs; ; wait = Math.min(maxDelayMs, wait * 2)) {
    try {
      return await work();
    } catch (error) {
      if (!locked.includes(sqliteResult(error)) || performance.now() >= deadline) throw error;
    }
    await pause(wait);
  }
}

/** Results of SQLite by https://sqlite.org/rescode.html: BUSY, LOCKED. */
const locked = [5, 6];

/** The same with READONLY, IOERR, FULL and CANTOPEN. */
const passing = [...locked, 8, 10, 13, 14];

/** The result that SQLite gave, without its extension; 0 for an error of another kind. */
function sqliteResult(error: unknown): number {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : 0;
}

export const isSqliteOutOfOrder = (error: unknown): boolean =>
  error instanceof StoreFileError || passing.includes(sqliteResult(error));
