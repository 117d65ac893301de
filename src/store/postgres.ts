import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase, Pool, PoolConfig } from 'pg';
import { type Cipher, plain } from '../encryption/cipher.ts';
import { VariableError } from '../util/environment.ts';
import type { Database, Row, Sql, Value } from './database.ts';
import { sqlStore, type SqlStore } from './sql-store.ts';
import type { Store } from './store.ts';

/** A PostgreSQL server cannot be used, for now or as it is set up. */
export class PostgresUnavailableError extends Error {
  override name = 'PostgresUnavailableError';
  /** Whether somebody has to change something: the password, the name of the database, a permission, a certificate. */
  readonly isRefusal: boolean;

  /** @param place the server in words */
  constructor(place: string, cause: unknown) {
    const { code, message } = cause as { code?: string; message: string };
    // Where several addresses of one host were tried, the error has no text of its own.
    const reason = message === '' ? String(code) : message;
    super(`The store, ${place}, cannot be used: ${reason}`, { cause });
    this.isRefusal = typeof code === 'string' && refusals.test(code);
  }
}

/**
 * Codes by https://www.postgresql.org/docs/current/errcodes-appendix.html: of connections, conflicts of transactions, lacking
 * resources, an operator's intervention (57014 is a timeout), the system, a server that only reads, and a lock.
 */
const passing = /^(?:08|40|53|57|58)|^(?:25006|55P03)$/;

/** Of passwords and roles, a missing database or schema, and permissions; by OpenSSL's names, of certificates. */
const refusals = /^28|^(?:3D000|3F000|42501)$|CERT|^UNABLE_TO_VERIFY/;

/** What Node and the client say of connections, by code and by text. */
const network = /^E(?:CONN\w+|TIMEDOUT|PIPE|HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN|NOTFOUND|AI_AGAIN|NOENT)$/;
const broken =
  /Connection (?:terminated|ended)|timeout exceeded|timeout expired|read timeout|not queryable|not support SSL/i;

/** Whether an error of `pg` says that the server cannot be used. */
export function isUnavailable(error: unknown): boolean {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  if (typeof code === 'string') return [passing, refusals, network].some((known) => known.test(code));
  return broken.test(message);
}

/** Whether another transaction was in the way of one, which can be done again: 40001, 40P01. */
const isConflict = (error: unknown): boolean =>
  ['40001', '40P01'].includes(String((error as { code?: unknown } | undefined)?.code));

/**
 * Opens the store in a PostgreSQL database, which workers on many machines may share. It connects when it is first used,
 * and then brings the schema to this version. The user needs a database of its own.
 *
 * @param url `postgres://user:password@host:port/database?sslmode=…` (docs/stores.md)
 * @throws (from its methods) `PostgresUnavailableError`; `Error` if the URL is wrong or a newer version wrote the database
 */
export const openPostgresStore = (url: string, cipher: Cipher = plain): SqlStore =>
  sqlStore(new PostgresDatabase(url, true), cipher);

/** Opens an existing store to read from it, and leaves its schema as it is. @throws what `openPostgresStore` does */
export const readPostgresStore = (url: string, cipher: Cipher = plain): Store =>
  sqlStore(new PostgresDatabase(url, false), cipher);

/** Of one process. Times are in milliseconds, and the URL may name others. */
const settings: PoolConfig = {
  application_name: 'reprise',
  // A server takes 100 connections unless it is told otherwise, and each statement takes about a millisecond.
  max: 5,
  idleTimeoutMillis: 30_000,
  connectionTimeoutMillis: 10_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 30_000,
  // Longer than the server's own, for servers that nothing is heard of any more.
  query_timeout: 35_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  // Statements that do not wait for one another are sent together.
  pipeline: true,
};

/** How often a transaction is tried that others are in the way of, and the first wait in between, in milliseconds. */
const mostTries = 6;
const shortest = 10;

class PostgresDatabase implements Database {
  readonly #url: string;
  readonly #prepares: boolean;
  readonly #place: string;
  #pool: Pool | undefined;
  #opening: Promise<Pool> | undefined;

  /** @param prepares whether the schema is brought to this version */
  constructor(url: string, prepares: boolean) {
    this.#url = url;
    this.#place = postgresPlace(url);
    this.#prepares = prepares;
  }

  async read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    try {
      return await work(statementsOf(await this.#opened()));
    } catch (error) {
      throw this.#explained(error);
    }
  }

  async write<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await withClient(await this.#opened(), (client) => transaction(client, work));
      } catch (error) {
        if (!isConflict(error) || tries === mostTries) throw this.#explained(error);
      }
      await pause(shortest * 2 ** tries * Math.random());
    }
  }

  async size(): Promise<{ bytes: number; free: number }> {
    const row = await this.read((sql) => sql.get('SELECT pg_database_size(current_database()) AS bytes'));
    return { bytes: Number(row?.['bytes']), free: 0 };
  }

  /** Its autovacuum makes the room of removed rows available to new ones. */
  async shrink(): Promise<boolean> {
    return false;
  }

  async close(): Promise<void> {
    await this.#opening?.catch(() => {});
    await this.#pool?.end();
  }

  /** Connects and prepares the schema. If that fails, the next statement tries again. */
  #opened(): Promise<Pool> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<Pool> {
    const { default: pg } = await import('pg');
    if (this.#pool === undefined) {
      check(this.#url, pg.Client);
      this.#pool = new pg.Pool({ ...settings, connectionString: this.#url });
      // A connection that breaks while nobody uses it is replaced, and of one that breaks while it is used the statement under
      // way tells. Without listeners, which it has from its first moment on, either would end the process.
      this.#pool.on('error', () => {});
      this.#pool.on('connect', (client) => client.on('error', () => {}));
    }
    if (this.#prepares) {
      const { prepareSchema } = await import('./postgres-schema.ts');
      await withClient(this.#pool, (client) => prepareSchema(client, this.#place));
    }
    return this.#pool;
  }

  #explained(error: unknown): unknown {
    return isUnavailable(error) ? new PostgresUnavailableError(this.#place, error) : error;
  }
}

/** A server in words, without user and password, of whatever form the URL is. */
export function postgresPlace(url: string): string {
  if (!URL.canParse(url)) return 'PostgreSQL';
  const { hostname, pathname, port, searchParams } = new URL(url);
  return `PostgreSQL at ${searchParams.get('host') ?? hostname}:${port || 5432}${pathname}`;
}

/** @throws `VariableError` that says what is wrong with the URL, without the URL, since that has a password */
function check(url: string, Client: typeof import('pg').Client): void {
  try {
    if (!/^postgres(?:ql)?:\/\//.test(url)) throw new Error('it does not begin with postgres://');
    void new Client({ connectionString: url });
  } catch (error) {
    const reason = (error as Error).message.replaceAll(url, '…');
    // The cause has the URL among its properties.
    // oxlint-disable-next-line preserve-caught-error
    throw new VariableError(`DATABASE_URL is not of the form postgres://user:password@host:5432/database: ${reason}`);
  }
}

async function withClient<T>(pool: Pool, work: (client: ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isBroken = false;
  try {
    return await work(client);
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (isBroken = true));
    throw error;
  } finally {
    client.release(isBroken);
  }
}

async function transaction<T>(client: ClientBase, work: (sql: Sql) => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  const result = await work(statementsOf(client));
  await client.query('COMMIT');
  return result;
}

const statementsOf = (database: Pool | ClientBase): Sql => {
  const query = (sql: string, values: Value[]) => database.query<Row>(numbered(sql), values);
  return {
    run: async (sql, ...values) => (await query(sql, values)).rowCount ?? 0,
    get: async (sql, ...values) => (await query(sql, values)).rows[0],
    all: async (sql, ...values) => (await query(sql, values)).rows,
  };
};

/** `?` as `$1`, `$2`, … No statement of the store has a question mark of another meaning. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}
