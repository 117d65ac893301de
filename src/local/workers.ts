import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isHeld, readRecord } from './lock.ts';
import type { WorkerVersion } from './worker-version.ts';
import { hashOf } from '../util/ids.ts';

/** A worker of a home folder: what it runs with, and which process it is. */
export interface WorkerRecord extends WorkerVersion {
  pid: number;
  /** Whether it runs in the background, where an `up` in the foreground takes its place. */
  background: boolean;
  /** The server's address; absent where it is the home folder's own. */
  address?: string;
  namespace: string;
  /** Whether the server knows Worker Versioning, so that runs can be pinned to this worker. */
  isVersioned: boolean;
  /** Whether it polls. */
  isReady: boolean;
  /** Whether it stands in for a process that has died, with the keys of another one. */
  standsIn: boolean;
}

/** Where a worker's runs are. */
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

/** A home's workers that run now. */
export function liveWorkers(home: string): WorkerRecord[] {
  return workerFolders(home)
    .filter(isHeld)
    .flatMap((folder) => readWorker(folder) ?? []);
}

/** What the present worker of a folder, or the last one, has recorded. */
export const readWorker = (folder: string): WorkerRecord | undefined => readRecord(folder) as WorkerRecord | undefined;
