import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { openPostgresStore, readPostgresStore } from './postgres.ts';
import { openSqliteStore, readSqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';

const fileIn = (home: string): string => join(home, 'store.sqlite');

/**
 * Opens the store: the PostgreSQL database that `DATABASE_URL` names, else the file of a home folder.
 *
 * @throws what `openSqliteStore` does; that PostgreSQL cannot be used shows when the store is first used
 */
export function openStore(home: string, environment: Environment): Store {
  const url = environment['DATABASE_URL'];
  return url === undefined ? openSqliteStore(fileIn(home)) : openPostgresStore(url);
}

/**
 * Opens the same store to read from it, and changes nothing there.
 *
 * @returns undefined if the home folder has none
 * @throws what `openStore` does
 */
export function readStore(home: string, environment: Environment): Store | undefined {
  const url = environment['DATABASE_URL'];
  if (url !== undefined) return readPostgresStore(url);
  return existsSync(fileIn(home)) ? readSqliteStore(fileIn(home)) : undefined;
}
