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
 * Serves runs whose own worker has died, in its place: with its bundle of workflows and its folder of extensions, and with
 * the keys of this process. When a command needs that worker again, it starts it anew, and the stand-in ends.
 */
export class OrphanedRuns {
  readonly #settings: HomeWorkerSettings;
  readonly #own: WorkerRecord;
  readonly #standIns = new Map<string, StandIn>();
  readonly #emptySince = new Map<string, number>();
  readonly #ending = new Set<Promise<void>>();

  /** @param own the worker of this process, whose server is looked after */
  constructor(settings: HomeWorkerSettings, own: WorkerRecord) {
    this.#settings = settings;
    this.#own = own;
  }

  get isBusy(): boolean {
    return this.#standIns.size + this.#ending.size > 0;
  }

  /** Finds workers that have died with open runs, and ends stand-ins that nobody needs any more. */
  async look(): Promise<void> {
    for (const folder of workerFolders(this.#settings.home)) {
      const record = readWorker(folder);
      if (record === undefined || !this.#isHere(record)) continue;
      const standIn = this.#standIns.get(folder);
      if (standIn === undefined && isHeld(folder)) continue;
      const open = await countOpenRuns(this.#settings.connection.workflowService, record.namespace, record.buildId);
      if (open > 0) this.#emptySince.delete(folder);
      if (standIn !== undefined) {
        if (open === 0 || existsSync(wantedFile(folder))) void this.#stop(folder, standIn, 'drain');
      } else if (open > 0) {
        await this.#start(folder, record);
      } else if (this.#isUnused(folder)) {
        this.#remove(folder, record);
      }
    }
  }

  async end(ending: ShutdownMode): Promise<void> {
    for (const [folder, standIn] of this.#standIns) void this.#stop(folder, standIn, ending);
    await Promise.all(this.#ending);
  }

  #isHere = ({ address, isVersioned, namespace }: WorkerRecord): boolean =>
    isVersioned && address === this.#own.address && namespace === this.#own.namespace;

  #isUnused(folder: string): boolean {
    const since = this.#emptySince.get(folder) ?? Date.now();
    this.#emptySince.set(folder, since);
    return Date.now() - since > keptMs;
  }

  async #start(folder: string, found: WorkerRecord): Promise<void> {
    const lock = takeLock<WorkerRecord>(folder);
    if (lock === undefined) return;
    const record = { ...found, pid: process.pid, standsIn: true };
    lock.describe(record);
    try {
      const standIn = { worker: await this.#startWorker(record), lock };
      this.#standIns.set(folder, standIn);
      // One that fails is started again when it is missed.
      void standIn.worker.done.catch(() => {}).then(() => this.#stop(folder, standIn, 'stop'));
    } catch (error) {
      lock.release(false);
      throw error;
    }
  }

  /** The bundle of another version of the package may not run here; by their patches, runs go on with the present one, too. */
  async #startWorker(record: WorkerRecord): Promise<HomeWorker> {
    try {
      return await startHomeWorker(record, this.#settings);
    } catch (error) {
      if (record.code === this.#own.code) throw error;
      return startHomeWorker({ ...record, codePath: this.#own.codePath }, this.#settings);
    }
  }

  /** The folder is given back at once: the worker that is wanted need not wait for the calls of its stand-in. */
  async #stop(folder: string, standIn: StandIn, ending: ShutdownMode): Promise<void> {
    if (this.#standIns.get(folder) !== standIn) return;
    this.#standIns.delete(folder);
    standIn.lock.release(false);
    const ended = standIn.worker.end(ending);
    this.#ending.add(ended);
    await ended;
    this.#ending.delete(ended);
  }

  /** Removes what is left of a worker that no run needs, with its bundle where no other worker has the same. */
  #remove(folder: string, { codePath }: WorkerRecord): void {
    const lock = takeLock(folder);
    if (lock === undefined) return;
    rmSync(folder, { recursive: true, force: true });
    lock.release(false);
    this.#emptySince.delete(folder);
    const inUse = workerFolders(this.#settings.home).map((each) => readWorker(each)?.codePath);
    if (!inUse.includes(codePath)) rmSync(codePath, { force: true });
  }
}

const wantedFile = (folder: string): string => join(folder, 'wanted');

/** Says, for whoever stands in for the worker of this folder, whether the worker itself is wanted. */
export function want(folder: string, isWantedNow: boolean): void {
  if (isWantedNow) writeFileSync(wantedFile(folder), '', { mode: privateMode.file });
  else rmSync(wantedFile(folder), { force: true });
}
