import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../util/environment.ts';
import { type Keys, readKeys, UnknownKeyError } from '../encryption/keys.ts';
import { openPostgresStore, postgresPlace, PostgresUnavailableError, readPostgresStore } from './postgres.ts';
import { type Cipher, cipherOf } from '../encryption/cipher.ts';
import { isSqliteOutOfOrder, openSqliteStore, readSqliteStore } from './sqlite.ts';
import type { SqlStore } from './sql-store.ts';
import type { Store } from './store.ts';

const cipherIn = (environment: Environment): Cipher => cipherOf(readKeys(environment));

const fileIn = (home: string): string => join(home, 'store.sqlite');

/**
 * Opens the store: the PostgreSQL database that `DATABASE_URL` names, else the file of a home folder. What it keeps is
 * encrypted where `REPRISE_ENCRYPTION_KEY` is set.
 *
 * @throws what `openSqliteStore` does; that PostgreSQL cannot be used shows when the store is first used
 */
export function openStore(home: string, environment: Environment): SqlStore {
  const url = environment['DATABASE_URL'];
  return url === undefined
    ? openSqliteStore(fileIn(home), cipherIn(environment))
    : openPostgresStore(url, cipherIn(environment));
}

/** The store in words, without a password. */
export function storePlace(home: string, environment: Environment): string {
  const url = environment['DATABASE_URL'];
  return url === undefined ? `SQLite in ${fileIn(home)}` : postgresPlace(url);
}

/** Opens the same store to read from it alone; undefined if the home folder has none. @throws what `openStore` does */
export function readStore(home: string, environment: Environment): Store | undefined {
  const url = environment['DATABASE_URL'];
  if (url !== undefined) return readPostgresStore(url, cipherIn(environment));
  return existsSync(fileIn(home)) ? readSqliteStore(fileIn(home), cipherIn(environment)) : undefined;
}

/**
 * Whether the store is out of order for now, so that the same work may succeed later: a file is locked, full or not writable,
 * a server is away or has no room.
 */
export const isOutOfOrder = (error: unknown): boolean =>
  isSqliteOutOfOrder(error) || error instanceof PostgresUnavailableError;

/** Reads texts of a store for somebody who does without them where there are none. */
export class Blobs {
  #store: Store | undefined;

  constructor(home: string, environment: Environment) {
    try {
      this.#store = readStore(home, environment);
    } catch {
      // What cannot be opened has nothing to read.
    }
  }

  /** Undefined for one that the store does not have, and for all once it could not be reached. */
  async read(id: string): Promise<string | undefined> {
    try {
      return await this.#store?.blob(id);
    } catch (error) {
      // Each further one would wait as long.
      if (isOutOfOrder(error)) await this.close();
      return undefined;
    }
  }

  async close(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    await store?.close();
  }
}

/** How the names of secrets begin that record which keys have sealed content. */
const keyName = 'encryption key ';

/**
 * Records the key that seals a store's new content. @returns a sentence for a person if keys of earlier content are missing
 * @throws `UnknownKeyError` where the store is sealed and there is no key at all: what is added would be plain
 */
export async function checkStoreKeys(store: Store, keys: Keys): Promise<string | undefined> {
  const names = await store.secretNames();
  const recorded = names.filter((name) => name.startsWith(keyName)).map((name) => name.slice(keyName.length));
  const missing = recorded.filter((id) => !keys.ids.includes(id));
  if (!keys.on && missing.length > 0) throw new UnknownKeyError(missing.join(', '), []);
  const [own] = keys.ids;
  if (own !== undefined) await store.secret(`${keyName}${own}`);
  if (missing.length === 0) return undefined;
  return (
    `The store has content that is encrypted with ${missing.join(', ')}, which REPRISE_ENCRYPTION_KEY does not have; ` +
    'runs that need it fail until the key is added'
  );
}
