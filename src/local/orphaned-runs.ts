import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countOpenRuns } from '../worker/deployment.ts';
import { privateMode } from '../util/private-files.ts';
import { startHomeWorker, type HomeWorker, type HomeWorkerSettings, type ShutdownMode } from './home-worker.ts';
import { isHeld, takeLock, type Lock } from './lock.ts';
import { readWorker, workerFolders, type WorkerRecord } from './workers.ts';

type StandIn = { worker: HomeWorker; lock: Lock<WorkerRecord> };

/** How long the record of a worker without open runs is kept, in milliseconds: a run that was just started may be unseen. */
const keptMs = 60_000;

/**
 * Serves runs whose own worker has died, with its bundle and its extensions, and with the keys of this process. A command
 * that needs that worker again starts it anew, and the stand-in ends.
 */
export function orphanedRuns(settings: HomeWorkerSettings, own: WorkerRecord) {
  const standIns = new Map<string, StandIn>();
  const emptySince = new Map<string, number>();
  const endings = new Set<Promise<void>>();

  const isHere = ({ address, isVersioned, namespace }: WorkerRecord): boolean =>
    isVersioned && address === own.address && namespace === own.namespace;

  const isUnused = (folder: string): boolean => {
    const since = emptySince.get(folder) ?? Date.now();
    emptySince.set(folder, since);
    return Date.now() - since > keptMs;
  };

  const start = async (folder: string, found: WorkerRecord): Promise<void> => {
    const lock = takeLock<WorkerRecord>(folder);
    if (lock === undefined) return;
    const record = { ...found, pid: process.pid, standsIn: true };
    lock.describe(record);
    try {
      const standIn = { worker: await startWorker(record), lock };
      standIns.set(folder, standIn);
      // One that fails is started again when it is missed.
      void standIn.worker.done.catch(() => {}).then(() => stop(folder, standIn, 'stop'));
    } catch (error) {
      lock.release(false);
      throw error;
    }
  };

  /** The bundle of another version of the package may not run here; by their patches, runs go on with the present one, too. */
  const startWorker = (record: WorkerRecord): Promise<HomeWorker> =>
    startHomeWorker(record, settings).catch((error: unknown) => {
      if (record.code === own.code) throw error;
      return startHomeWorker({ ...record, codePath: own.codePath }, settings);
    });

  /** The folder is given back at once: the worker that is wanted need not wait for the calls of its stand-in. */
  const stop = async (folder: string, standIn: StandIn, how: ShutdownMode): Promise<void> => {
    if (standIns.get(folder) !== standIn) return;
    standIns.delete(folder);
    standIn.lock.release(false);
    const ended = standIn.worker.end(how);
    endings.add(ended);
    await ended;
    endings.delete(ended);
  };

  /** Removes what is left of a worker that no run needs, with its bundle where no other worker has the same. */
  const remove = (folder: string, { codePath }: WorkerRecord): void => {
    const lock = takeLock(folder);
    if (lock === undefined) return;
    rmSync(folder, { recursive: true, force: true });
    lock.release(false);
    emptySince.delete(folder);
    const inUse = workerFolders(settings.home).map((each) => readWorker(each)?.codePath);
    if (!inUse.includes(codePath)) rmSync(codePath, { force: true });
  };

  return {
    isBusy: (): boolean => standIns.size + endings.size > 0,

    /** Finds workers that have died with open runs, and ends stand-ins that nobody needs any more. */
    async look(): Promise<void> {
      for (const folder of workerFolders(settings.home)) {
        const record = readWorker(folder);
        if (record === undefined || !isHere(record)) continue;
        const standIn = standIns.get(folder);
        if (standIn === undefined && isHeld(folder)) continue;
        const open = await countOpenRuns(settings.connection.workflowService, record.namespace, record.buildId);
        if (open > 0) emptySince.delete(folder);
        if (standIn !== undefined) {
          if (open === 0 || existsSync(wantedFile(folder))) void stop(folder, standIn, 'drain');
        } else if (open > 0) await start(folder, record);
        else if (isUnused(folder)) remove(folder, record);
      }
    },

    async end(how: ShutdownMode): Promise<void> {
      for (const [folder, standIn] of standIns) void stop(folder, standIn, how);
      await Promise.all(endings);
    },
  };
}

export type OrphanedRuns = ReturnType<typeof orphanedRuns>;

const wantedFile = (folder: string): string => join(folder, 'wanted');

/** Says, for whoever stands in for the worker of this folder, whether the worker itself is wanted. */
export function want(folder: string, isWantedNow: boolean): void {
  if (isWantedNow) writeFileSync(wantedFile(folder), '', { mode: privateMode.file });
  else rmSync(wantedFile(folder), { force: true });
}
