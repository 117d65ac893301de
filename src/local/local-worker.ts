import { chmodSync, copyFileSync, existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';
import { definedIn, readEnvironment } from '../util/environment.ts';
import { encryptionLine, readKeys } from '../encryption/keys.ts';
import { livePollers } from '../client/pollers.ts';
import {
  countOpenRuns,
  countPinnedRuns,
  currentBuild,
  hasVersioning,
  isNewer,
  makeCurrent,
} from '../worker/deployment.ts';
import { privateFolder, privateMode } from '../util/private-files.ts';
import { quietRuntime } from '../worker/quiet-runtime.ts';
import { keepLogsShort } from '../worker/rotation.ts';
import { startHomeWorker, type HomeWorker, type ServiceSettings, type ShutdownMode } from './home-worker.ts';
import { endDaemon, joinServer, type Say } from './home-server.ts';
import { isHeld, readLease, type ServerLease, type Lock } from './lock.ts';
import { ensureNamespace, keepRunsFor, retentionDays } from './retention.ts';
import { OrphanedRuns } from './orphaned-runs.ts';
import type { WorkerVersion } from './worker-version.ts';
import { liveWorkers, type WorkerRecord } from './workers.ts';

export interface LocalWorkerSettings {
  home: string;
  /** Whether the runs are on the server of the home folder, rather than on one of somebody else's. */
  isOwn: boolean;
  /** The address of the server. That of the home may get another one, where its port is taken. */
  address: string;
  isNamed: boolean;
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

const pollIntervalMs = 2000;

/**
 * At how many looks it is asked whether somebody serves what is pinned to nobody, and whether this worker is needed still.
 */
const looksPerQuestion = 5;

/**
 * One worker of a home folder in this process, which serves the runs that are pinned to its version. With it come stand-ins
 * for workers that have died. It has the folder's server started, and its daemon where that has died.
 */
export class LocalWorker {
  readonly #settings: LocalWorkerSettings;
  readonly #lock: Lock<WorkerRecord> | undefined;
  #record: WorkerRecord;
  #worker: HomeWorker | undefined;
  #orphanedRuns: OrphanedRuns | undefined;
  #connection: NativeConnection | undefined;
  #ending: Promise<void> | undefined;
  #address: string;
  #isCurrent = false;
  #said = '';
  #isReplaced = false;

  /** @param lock of the worker's folder, which is held until the end; undefined where another worker of this version has it */
  constructor(settings: LocalWorkerSettings, lock: Lock<WorkerRecord> | undefined) {
    this.#settings = settings;
    this.#lock = lock;
    const { address, background, home, isOwn, namespace, version } = settings;
    this.#address = address;
    this.#record = {
      ...version,
      codePath: keptCopy(home, version),
      pid: process.pid,
      background,
      ...(!isOwn && { address }),
      namespace,
      isVersioned: true,
      isReady: false,
      standsIn: false,
    };
    lock?.describe(this.#record);
  }

  /** Finds or starts the server of the home folder. @returns whether it was started */
  async join(): Promise<{ server: ServerLease; isStarted: boolean }> {
    const joined = await this.#join();
    this.#address = joined.server.address;
    return joined;
  }

  #join(): Promise<{ server: ServerLease; isStarted: boolean }> {
    const { address: asked, home, isNamed, say, variables, version } = this.#settings;
    const configs = version.extensions;
    return joinServer({ home, asked, isNamed, configs, variables, say, isOver: this.#hasEnded });
  }

  /**
   * Runs the worker until `end` is called, and until that is done.
   *
   * @param isKeeper whether the server is to keep closed runs for as long as this process's environment says
   * @param onReady is called when the worker polls
   */
  async run(onReady: () => void, isKeeper = false): Promise<void> {
    const { home, isOwn, namespace, variables } = this.#settings;
    const keys = readKeys(readEnvironment(variables));
    quietRuntime(keys.on);
    if (keys.on) this.#settings.say(encryptionLine(keys));
    // The TLS settings and the API key of the environment are not meant for the embedded server, and what stays on this machine
    // is not compressed.
    const options = isOwn
      ? { grpcCompression: { codec: 'none' as const } }
      : loadClientConnectConfig({ overrideEnvVars: definedIn(variables) }).connectionOptions;
    const connection = await NativeConnection.connect({ ...options, address: this.#address });
    this.#connection = connection;
    // Otherwise the daemon does so.
    if (!isOwn) keepLogsShort(join(home, 'logs'));
    else {
      const days = retentionDays(readEnvironment(variables));
      await ensureNamespace(connection, namespace, days);
      if (isKeeper) await keepRunsFor(connection, days);
    }
    const isVersioned = await hasVersioning(connection.workflowService, namespace);
    const record = { ...this.#record, isVersioned };
    this.#record = record;
    const httpAddress = isOwn ? readLease(home)?.httpAddress : undefined;
    // Where a webhook tells a person to look and answer, unless the environment says so.
    const known = { ...(httpAddress !== undefined && { REPRISE_PUBLIC_URL: httpAddress }), ...definedIn(variables) };
    this.#worker = await startHomeWorker(record, {
      connection,
      home,
      variables: known,
      ...this.#settings.service,
    });
    if (this.#hasEnded()) return this.#worker.end('stop');
    if (isVersioned) await this.#beCurrent(true);
    this.#lock?.describe({ ...record, isReady: true });
    if (isVersioned && this.#lock) this.#orphanedRuns = new OrphanedRuns({ home, connection, variables }, record);
    onReady();
    void this.#look();
    await this.#worker.done;
    await this.#ending;
  }

  /** Lets calls in flight finish, and gives back what it holds. The server ends with the last worker of its folder. */
  end(ending: ShutdownMode): Promise<void> {
    this.#ending ??= this.#end(ending);
    return this.#ending;
  }

  async #end(ending: ShutdownMode): Promise<void> {
    const { home, isOwn } = this.#settings;
    await Promise.all([this.#worker?.end(ending), this.#orphanedRuns?.end(ending)]);
    const isLast = liveWorkers(home).every(({ address, pid }) => pid === process.pid || address !== undefined);
    if (isOwn && ending === 'stop' && isLast && !this.#hasMoved()) await endDaemon(home);
    this.#lock?.release(false);
  }

  /** Whether a run is open that needs this process. */
  async isNeeded(): Promise<boolean> {
    const { namespace, version } = this.#settings;
    const service = this.#connection?.workflowService;
    if (service === undefined || this.#orphanedRuns?.isBusy) return true;
    // The current version gets what is pinned to none, too, and its worker stays while anybody's run is open.
    const ofAll = !this.#record.isVersioned || this.#isCurrent;
    return (await countOpenRuns(service, namespace, ofAll ? undefined : version.buildId)) > 0;
  }

  #hasEnded = (): boolean => this.#ending !== undefined;

  async #look(): Promise<void> {
    for (let looks = 1; !this.#hasEnded(); looks++) {
      await pause(pollIntervalMs);
      if (this.#hasEnded()) return;
      await this.#lookAfterServer();
      if (!this.#record.isVersioned) continue;
      // The server may be away for a moment.
      if (looks % looksPerQuestion === 0) {
        await this.#beCurrent(false).catch(() => {});
        await this.#endIfReplaced().catch(() => {});
      }
      await this.#orphanedRuns?.look().catch((error: Error) => this.#sayOnce(error.message));
    }
  }

  /** Starts the daemon again where it has died. Where its port was taken meanwhile, the server has another one now. */
  async #lookAfterServer(): Promise<void> {
    const { home, isOwn, say } = this.#settings;
    if (!isOwn) return;
    if (!isHeld(home)) await this.#join().catch((error: Error) => this.#hasEnded() || say(error.message));
    if (this.#hasEnded() || !this.#hasMoved()) return;
    say(`The Temporal server of this folder is no more at ${this.#address}: ending`);
    void this.end('stop');
  }

  #hasMoved(): boolean {
    const server = readLease(this.#settings.home);
    return server !== undefined && server.address !== this.#address;
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
      void this.end('drain');
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
   * of the last release may be started again during an upgrade. Later each takes them only from those that have died.
   */
  async #beCurrent(isStart: boolean): Promise<void> {
    const { background, home, namespace, version } = this.#settings;
    const service = this.#connection?.workflowService;
    if (service === undefined) return;
    const current = await currentBuild(service, namespace);
    this.#isCurrent = current === version.buildId;
    if (this.#isCurrent) return;
    const pollers = current === undefined ? [] : await livePollers(service, namespace);
    const isServed = pollers.some(({ buildId }) => buildId === current);
    const { address } = this.#record;
    const isInBackground = (worker: WorkerRecord): boolean =>
      worker.buildId === current && worker.background && worker.namespace === namespace && worker.address === address;
    const mayTake = async (): Promise<boolean> =>
      version.isOwn
        ? !background || liveWorkers(home).some(isInBackground)
        : isNewer(service, namespace, version.buildId, current ?? '');
    if (isServed && !(isStart && (await mayTake()))) return;
    await makeCurrent(service, namespace, version.buildId);
    this.#isCurrent = true;
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
