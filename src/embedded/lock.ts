import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { writeAtomic } from '../worker/write-atomic.ts';

/** The process that holds a home folder, and what it runs there. */
export interface Holder {
  pid: number;
  /** Whether it runs in the background, where a command that needs another worker may replace it. */
  background: boolean;
  address: string;
  /** The address that was asked for; it differs from `address` where its port was taken. */
  asked: string;
  namespace: string;
  uiAddress?: string;
  /** The embedded server's process; absent where the server belongs to somebody else. */
  serverPid?: number;
  /** What the worker was started with, as `fingerprintOf` hashes it. */
  fingerprint: string;
  /** The worker's folder of configurations and extensions. */
  extensions: string;
  /** Whether the worker polls. */
  ready: boolean;
}

export interface Lock {
  /** Records what runs here now. */
  describe(holder: Holder): void;
  /** Gives the folder back. @param forget whether to remove the record, since nothing runs here any more */
  release(forget: boolean): void;
}

const holderFile = (home: string): string => join(home, 'up.json');

/**
 * Takes the home folder for this process. The lock is SQLite's, on a file of its own, so that the system releases it
 * however its holder ends.
 *
 * @returns undefined where another process holds the folder
 */
export function takeLock(home: string): Lock | undefined {
  mkdirSync(home, { recursive: true });
  // The timeout allows for commands that hold the lock for a moment, to find out whether somebody does.
  const database = new DatabaseSync(join(home, 'up.lock'), { timeout: 500 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === busy) return undefined;
    throw error;
  }
  return {
    describe: (holder) => writeAtomic(holderFile(home), JSON.stringify(holder)),
    release(forget) {
      if (forget) rmSync(holderFile(home), { force: true });
      database.close();
    },
  };
}

/** SQLite's SQLITE_BUSY. */
const busy = 5;

/** Whether a process holds the folder at this moment. */
export function isHeld(home: string): boolean {
  const lock = takeLock(home);
  lock?.release(false);
  return lock === undefined;
}

/** What the present holder, or the last one, has recorded; undefined where there is no such record. */
export function readHolder(home: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(holderFile(home), 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}
