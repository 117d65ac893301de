import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { privateFile, privateFolder, writeAtomic } from '../util/private-files.ts';
import { isAlive } from '../util/processes.ts';

export interface ServerLease {
  pid: number;
  address: string;
  /** The address that was asked for; it differs from `address` where its port was taken. */
  asked: string;
  uiAddress: string;
  /** Where the HTTP server answers; absent: nowhere, since no port was free. */
  httpAddress?: string;
  serverPid: number;
}

export interface Lock<Holding> {
  describe(holding: Holding): void;
  /** Whether the folder has been removed or moved away: what is at its path, if anything, belongs to others. */
  isGone(): boolean;
  /** Gives the folder back. @param forget whether to put the record aside, since it says nothing about what runs any more */
  release(forget: boolean): void;
}

const recordFile = (folder: string): string => join(folder, 'up.json');

/** The record of the last holder that has ended in order. */
const lastFile = (folder: string): string => join(folder, 'last.json');

/**
 * Takes a folder for this process. The lock is SQLite's, so that the system releases it however its holder ends.
 *
 * @param patience how long to wait, in milliseconds, in which nothing else goes on: commands that look hold it for a moment
 * @returns undefined where another process holds the folder
 */
export function takeLock<Holding>(folder: string, patience = 500): Lock<Holding> | undefined {
  privateFolder(folder);
  const file = join(folder, 'up.lock');
  privateFile(file);
  const database = new DatabaseSync(file, { timeout: patience });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    // SQLITE_BUSY.
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw error;
  }
  const { ino, birthtimeMs } = statSync(file);
  return {
    isGone() {
      const present = statSync(file, { throwIfNoEntry: false });
      // Some file systems give a file another number now and then.
      return present === undefined || (present.ino !== ino && present.birthtimeMs !== birthtimeMs);
    },
    describe: (holding) => writeAtomic(recordFile(folder), JSON.stringify(holding)),
    release(forget) {
      if (forget && existsSync(recordFile(folder))) renameSync(recordFile(folder), lastFile(folder));
      database.close();
    },
  };
}

export function isHeld(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const record = readRecord(folder) as { pid: number } | undefined;
  // Where the process that is recorded lives, it is most likely the one that holds the folder, and no command that looks.
  const lock = takeLock(folder, record !== undefined && isAlive(record.pid) ? 0 : undefined);
  lock?.release(false);
  return lock === undefined;
}

/** What the present holder of a folder, or the last one, has recorded; undefined where there is no such record. */
export const readRecord = (folder: string): unknown => readJson(recordFile(folder));

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The daemon that keeps a home folder's server, or one that has died. */
export const readLease = (home: string): ServerLease | undefined => readRecord(home) as ServerLease | undefined;

/** The same, or the one that has ended in order: where it was, its successor is looked for. */
export const readLastLease = (home: string): ServerLease | undefined =>
  readLease(home) ?? (readJson(lastFile(home)) as ServerLease | undefined);
