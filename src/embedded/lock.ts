import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Who holds a home folder, and what runs there. */
export interface Holder {
  pid: number;
  /** Whether it runs in the background and may be replaced by a command that needs another one. */
  background: boolean;
  address: string;
  /** The address that was wanted; another one than `address` where its port was taken. */
  asked: string;
  namespace: string;
  uiAddress?: string;
  /** The embedded server's process; absent where the server is somebody else's. */
  serverPid?: number;
  /** What the worker was started with, see `fingerprintOf`. */
  fingerprint: string;
  /** The worker's folder of configurations and extensions. */
  extensions: string;
  /** Whether the worker polls. */
  ready: boolean;
}

export interface Lock {
  /** Says what runs here now. */
  describe(holder: Holder): void;
  /** @param forget whether nothing runs here any more */
  release(forget: boolean): void;
}

const holderFile = (home: string): string => join(home, 'up.json');

/**
 * Takes the home folder for this process, or returns undefined when another one has it.
 * The lock is SQLite's on a file of its own: the system gives it back when its holder dies, however it dies.
 */
export function takeLock(home: string): Lock | undefined {
  mkdirSync(home, { recursive: true });
  // The wait is for commands that only look whether the folder is held: they hold it for a moment.
  const database = new DatabaseSync(join(home, 'up.lock'), { timeout: 500 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === busy) return undefined;
    throw error;
  }
  return {
    describe(holder) {
      const part = `${holderFile(home)}.${process.pid}`;
      writeFileSync(part, JSON.stringify(holder));
      renameSync(part, holderFile(home));
    },
    release(forget) {
      if (forget) rmSync(holderFile(home), { force: true });
      database.close();
    },
  };
}

/** SQLITE_BUSY */
const busy = 5;

/** Whether some process holds the folder at this moment. */
export function isHeld(home: string): boolean {
  const lock = takeLock(home);
  lock?.release(false);
  return lock === undefined;
}

/** What the present holder, or the last one, said of itself. */
export function readHolder(home: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(holderFile(home), 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}
