import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { openPostgresStore } from './postgres.ts';
import { openSqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';

/**
 * Opens the store: the PostgreSQL database that `DATABASE_URL` names, else the file of a home folder.
 *
 * @throws what `openSqliteStore` does; an unreachable PostgreSQL shows when the store is first used
 */
export function openStore(home: string, environment: Environment): Store {
  const url = environment['DATABASE_URL'];
  return url === undefined ? openSqliteStore(join(home, 'store.sqlite')) : openPostgresStore(url);
}
