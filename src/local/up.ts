import { chmodSync, copyFileSync, existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import { definedIn, readEnvironment } from '../util/environment.ts';
import { encryptionLine, readKeys } from '../encryption/keys.ts';
import {
  countOpenRuns,
  countPinnedRuns,
  currentBuild,
  hasVersioning,
  isNewer,
  livePollers,
  makeCurrent,
} from '../worker/deployment.ts';
import { privateFolder, privateMode } from '../util/private-files.ts';
import { quietRuntime } from '../worker/quiet-runtime.ts';
import { keepLogsShort } from '../worker/rotation.ts';
import { HomeWorker, type Ending, type ServiceSettings } from './home-worker.ts';
import type { Say } from './home-server.ts';
import type { Lock } from './lock.ts';
import { ensureNamespace, keepRunsFor, retentionDays } from './retention.ts';
import type { ServerKeeper } from './server-keeper.ts';
import { StandIns } from './stand-ins.ts';
import type { WorkerVersion } from './worker-version.ts';
import { liveWorkers, type WorkerRecord } from './workers.ts';

export interface UpSettings {
  home: string;
  /** The server of the home folder; undefined where the runs are on a server of somebody else's. */
  keeper: ServerKeeper | undefined;
  /** The address of that other server. */
  address: string;
  namespace: string;
  version: WorkerVersion;
  background: boolean;
  /** Variables by their names, as in `process.env`. */
  variables: NodeJS.ProcessEnv;
  service?: ServiceSettings;
  /** Whether it ends by itself when another version is current and no run is pinned to this one. */
  untilReplaced?: boolean;
  say: Say;
}

const lookEveryMs = 2000;

/**
 * At how many looks it is asked whether somebody serves what is pinned to nobody, and whether this worker is needed still: the
 * server asks a workflow of its own.
 */
const looksPerQuestion = 5;

/**
 * One worker of a home folder in this process, which serves the runs that are pinned to its version. With it come its part
 * in the folder's server and stand-ins for workers that have died.
 */
export class Up {
  readonly #settings: UpSettings;
  readonly #lock: Lock<WorkerRecord> | undefined;
  #record: WorkerRecord;
  #worker: HomeWorker | undefined;
  #standIns: StandIns | undefined;
  #connection: NativeConnection | undefined;
  #ending: Ending | undefined;
  #said = '';
  #isReplaced = false;

  /** @param lock of the worker's folder, which is held until the end; undefined where another worker of this version has it */
  constructor(settings: UpSettings, lock: Lock<WorkerRecord> | undefined) {
    this.#settings = settings;
    this.#lock = lock;
    const { address, background, home, keeper, namespace, version } = settings;
    this.#record = {
      ...version,
      codePath: keptCopy(home, version),
      pid: process.pid,
      background,
      ...(keeper === undefined && { address }),
      namespace,
      isVersioned: true,
      isReady: false,
      standsIn: false,
    };
    lock?.describe(this.#record);
  }

  /** Runs the worker until `end` is called. @param onReady is called when the worker polls */
  async run(onReady: () => void): Promise<void> {
    const { address, home, keeper, namespace, variables } = this.#settings;
    const keys = readKeys(readEnvironment(variables));
    quietRuntime(keys.on);
    if (keys.on) this.#settings.say(encryptionLine(keys));
    // The TLS settings and the API key of the environment are not meant for the embedded server.
    const options =
      keeper === undefined ? loadClientConnectConfig({ overrideEnvVars: definedIn(variables) }).connectionOptions : {};
    const connection = await NativeConnection.connect({ ...options, address });
    this.#connection = connection;
    // Otherwise the guard of the server does so.
    if (keeper === undefined) keepLogsShort(join(home, 'logs'));
    if (keeper !== undefined) {
      const days = retentionDays(readEnvironment(variables));
      await ensureNamespace(connection, namespace, days);
      if (keeper.isKeeper) await keepRunsFor(connection, days);
    }
    const isVersioned = await hasVersioning(connection.workflowService, namespace);
    const record = { ...this.#record, isVersioned };
    this.#record = record;
    this.#worker = await HomeWorker.start(record, { connection, home, variables, ...this.#settings.service });
    if (this.#hasEnded()) return this.#worker.end('stop');
    if (this.#record.isVersioned) await this.#beCurrent(true);
    this.#lock?.describe({ ...record, isReady: true });
    this.#standIns =
      this.#record.isVersioned && this.#lock ? new StandIns({ home, connection, variables }, record) : undefined;
    onReady();
    void this.#look();
    await this.#worker.done;
  }

  /** Lets calls in flight finish, and gives back what it holds. The server ends with the last worker of its folder. */
  async end(ending: Ending): Promise<void> {
    if (this.#ending !== undefined) return;
    this.#ending = ending;
    await Promise.all([this.#worker?.end(ending), this.#standIns?.end(ending)]);
    await this.#settings.keeper?.leave(ending === 'stop');
    this.#lock?.release(false);
  }

  /** Whether a run is open that needs this process. */
  async isNeeded(): Promise<boolean> {
    const { keeper, namespace, version } = this.#settings;
    const service = this.#connection?.workflowService;
    if (service === undefined || this.#standIns?.isBusy) return true;
    // The keeper of the server serves what is pinned to nobody, too, and stays while anybody's run is open.
    const ofAll = !this.#record.isVersioned || keeper?.isKeeper;
    return (await countOpenRuns(service, namespace, ofAll ? undefined : version.buildId)) > 0;
  }

  #hasEnded = (): boolean => this.#ending !== undefined;

  async #look(): Promise<void> {
    for (let looks = 1; !this.#hasEnded(); looks++) {
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      if (this.#hasEnded() || !this.#record.isVersioned) return;
      // The server may be away for a moment.
      if (looks % looksPerQuestion === 0) {
        await this.#beCurrent(false).catch(() => {});
        await this.#endIfReplaced().catch(() => {});
      }
      await this.#standIns?.look().catch((error: Error) => this.#sayOnce(error.message));
    }
  }

  async #endIfReplaced(): Promise<void> {
    const { namespace, say, untilReplaced, version } = this.#settings;
    const service = this.#connection?.workflowService;
    if (!untilReplaced || service === undefined) return;
    const current = await currentBuild(service, namespace);
    const isFree =
      current !== undefined &&
      current !== version.buildId &&
      (await countPinnedRuns(service, namespace, version.buildId)) === 0;
    // A run that began a moment ago may not be counted yet, and is by the next time.
    if (isFree && this.#isReplaced) {
      say(`The version ${current} has taken over, and no run needs this one (${version.buildId}): ending`);
      void this.end('hand over');
    }
    this.#isReplaced = isFree;
  }

  #sayOnce(text: string): void {
    if (text !== this.#said) this.#settings.say(`Runs of a worker that has died are not served yet: ${text}`);
    this.#said = text;
  }

  /**
   * Takes the runs that are pinned to no version. An `up` in the foreground takes them from everybody when it starts, one in
   * the background only from others in the background of its folder, and a worker for everybody only from older versions: one
   * of the last release that is started again, during an upgrade, must not. Later each takes them only from those that have
   * died.
   */
  async #beCurrent(isStart: boolean): Promise<void> {
    const { background, home, namespace, version } = this.#settings;
    const service = this.#connection?.workflowService;
    if (service === undefined) return;
    const current = await currentBuild(service, namespace);
    if (current === version.buildId) return;
    const pollers = current === undefined ? [] : await livePollers(service, namespace);
    const isServed = pollers.some(({ buildId }) => buildId === current);
    const inBackground = liveWorkers(home).some((worker) => worker.buildId === current && worker.background);
    const mayTake = async (): Promise<boolean> =>
      version.isOwn ? !background || inBackground : isNewer(service, namespace, version.buildId, current ?? '');
    if (isServed && !(isStart && (await mayTake()))) return;
    await makeCurrent(service, namespace, version.buildId);
  }
}

/** Copies a bundle that belongs to the package into the home folder, since the next version of the package replaces it. */
function keptCopy(home: string, { buildId, codePath }: WorkerVersion): string {
  if (!relative(home, codePath).startsWith('..')) return codePath;
  const copy = join(home, 'bundles', `${buildId}.js`);
  privateFolder(dirname(copy));
  if (!existsSync(copy)) {
    copyFileSync(codePath, copy);
    chmodSync(copy, privateMode.file);
  }
  return copy;
}
