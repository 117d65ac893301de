import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { readKeys } from '../encryption/keys.ts';
import { cipherOf } from './sealing.ts';
import { openSqliteStore } from './sqlite.ts';
import type { Store } from './store.ts';

/** Opens the store in a home folder, whose content is encrypted where `REPRISE_ENCRYPTION_KEY` is set. @throws `Error` if `DATABASE_URL` is set, which this version does not support */
export function openStore(home: string, environment: Environment): Store {
  if (environment['DATABASE_URL'] !== undefined) {
    throw new Error('DATABASE_URL: this version stores in SQLite only; unset it, and let one machine run all workers');
  }
  return openSqliteStore(join(home, 'store.sqlite'), cipherOf(readKeys(environment)));
}
