import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A store under test: how workers are told of it, what is in it, and how it is disturbed. */
export interface TestedStore {
  /** Variables of the workers. */
  variables: Record<string, string>;
  /** The journalled replies by their keys, those of some keys left out. */
  replies(known: ReadonlySet<string>): Promise<Array<{ key: string; result: string }>>;
  /** Lets nobody write. @returns what undoes that */
  lock(): Promise<() => Promise<void>>;
  /** Lets no worker's file grow, as on a full disk. @param pids of the workers. @returns what undoes that */
  fill(pids: number[]): Promise<() => Promise<void>>;
  /** `kill -9` of the database server, and its start on the same data. */
  server?: { kill(): Promise<void>; start(): Promise<void> };
}

/** The embedded store of a home folder. */
export function sqliteStore(home: string): TestedStore {
  const file = join(home, 'store.sqlite');
  return {
    variables: {},
    async replies(known) {
      const database = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
      try {
        const keys = database.prepare('SELECT key FROM replies').all();
        const read = database.prepare('SELECT result FROM replies WHERE key = ?');
        return keys
          .map(({ key }) => String(key))
          .filter((key) => !known.has(key))
          .map((key) => ({ key, result: String(read.get(key)?.['result']) }));
      } finally {
        database.close();
      }
    },
    async lock() {
      const database = new DatabaseSync(file, { timeout: 5000 });
      database.exec('BEGIN IMMEDIATE');
      return async () => database.close();
    },
    async fill(pids) {
      limitFiles(pids, '1024');
      return async () => limitFiles(pids, 'unlimited');
    },
  };
}

/** Sets the size beyond which the processes cannot write any file. Those that have ended are left out. */
export function limitFiles(pids: number[], bytes: string): void {
  for (const pid of pids) spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`]);
}
