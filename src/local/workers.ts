import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isHeld, readRecord } from './lock.ts';
import type { WorkerVersion } from './worker-version.ts';
import { hashOf } from '../util/ids.ts';
import { privateFolder, privateMode } from '../util/private-files.ts';

export interface WorkerRecord extends WorkerVersion {
  pid: number;
  /** Whether it runs in the background, where an `up` in the foreground takes its place. */
  background: boolean;
  /** The server's address; absent where it is the home folder's own. */
  address?: string;
  namespace: string;
  /** Whether the server knows Worker Versioning, so that runs can be pinned to this worker. */
  isVersioned: boolean;
  isReady: boolean;
  /** Whether it stands in for a process that has died, with the keys of another one. */
  standsIn: boolean;
}

export type Queue = Pick<WorkerRecord, 'address' | 'namespace'>;

const workersFolder = (home: string): string => join(home, 'workers');

/** The folder that a worker of some version holds while it serves a queue. */
export function workerFolder(home: string, buildId: string, { address = '', namespace }: Queue): string {
  const place = hashOf(`${namespace} ${address}`).slice(0, 6);
  return join(workersFolder(home), `${buildId}-${place}`);
}

/** The folders of all workers that a home has had, as long as they have not been removed. */
export function workerFolders(home: string): string[] {
  const folder = workersFolder(home);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => join(folder, name));
}

export function liveWorkers(home: string): WorkerRecord[] {
  return workerFolders(home)
    .filter(isHeld)
    .flatMap((folder) => readWorker(folder) ?? []);
}

export const readWorker = (folder: string): WorkerRecord | undefined => readRecord(folder) as WorkerRecord | undefined;

const useFile = (folder: string): string => join(folder, 'last-use');

/** Records that a command uses a home or one of its workers, by its folder, which keeps it from ending. */
export function noteUse(folder: string): void {
  privateFolder(folder);
  writeFileSync(useFile(folder), '', { mode: privateMode.file });
}

/** When a command last used a home or a worker, in milliseconds since the epoch; 0 where none ever has. */
export const lastUse = (folder: string): number => statSync(useFile(folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** How long what nobody uses stays, in milliseconds: `REPRISE_IDLE_MINUTES`, else 10 minutes. NaN where that is no number. */
export const idleMs = ({ REPRISE_IDLE_MINUTES: minutes }: NodeJS.ProcessEnv): number => Number(minutes || 10) * 60_000;
