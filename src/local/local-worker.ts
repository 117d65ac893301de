import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
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
import { writeAtomic } from '../util/private-files.ts';
import { quietRuntime } from '../worker/quiet-runtime.ts';
import { outliveUnawaited } from '../worker/unawaited.ts';
import { keepLogsShort } from '../worker/rotation.ts';
import { startHomeWorker, type HomeWorker, type ServiceSettings, type ShutdownMode } from './home-worker.ts';
import { endDaemon, joinServer, type Say } from './home-server.ts';
import { isHeld, readLease, type Lock } from './lock.ts';
import { ensureNamespace, keepRunsFor, retentionDays } from './retention.ts';
import { orphanedRuns, type OrphanedRuns } from './orphaned-runs.ts';
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
  variables: NodeJS.ProcessEnv;
  service?: ServiceSettings;
  /** Whether it ends by itself when another version is current and no run is pinned to this one. */
  untilReplaced?: boolean;
  say: Say;
}

type Service = NativeConnection['workflowService'];

const pollIntervalMs = 2000;

/** How many looks there are for each question that makes work for the server. */
const looksPerQuestion = 5;

/**
 * One worker of a home folder in this process, which serves the runs that are pinned to its version. With it come stand-ins
 * for workers that have died. It has the folder's server started, and its daemon where that has died.
 *
 * @param lock of the worker's folder, which is held until the end; undefined where another worker of this version has it
 */
export function localWorker(settings: LocalWorkerSettings, lock: Lock<WorkerRecord> | undefined) {
  const { background, home, isOwn, namespace, say, variables, version } = settings;
  const { buildId } = version;
  let { address } = settings;
  let record: WorkerRecord = {
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
  lock?.describe(record);
  let worker: HomeWorker | undefined;
  let orphaned: OrphanedRuns | undefined;
  let service: Service | undefined;
  let ending: Promise<void> | undefined;
  let isCurrent = false;
  const hasEnded = (): boolean => ending !== undefined;

  const joinHome = (): ReturnType<typeof joinServer> => {
    const { address: asked, isNamed } = settings;
    return joinServer({ home, asked, isNamed, configs: version.extensions, variables, say, isOver: hasEnded });
  };

  const hasMoved = (): boolean => {
    const server = readLease(home);
    return server !== undefined && server.address !== address;
  };

  const end = async (how: ShutdownMode): Promise<void> => {
    await Promise.all([worker?.end(how), orphaned?.end(how)]);
    const isLast = liveWorkers(home).every((each) => each.pid === process.pid || each.address !== undefined);
    if (isOwn && how === 'stop' && isLast && !isGone() && !hasMoved()) await endDaemon(home);
    lock?.release(false);
  };
  const endOnce = (how: ShutdownMode): Promise<void> => (ending ??= end(how));

  const isGone = (): boolean => lock?.isGone() ?? false;

  /** Starts the daemon again where it has died. Where its port was taken meanwhile, the server has another one now. */
  const lookAfterServer = async (): Promise<void> => {
    if (!isOwn) return;
    if (isGone()) {
      say(`The folder ${home} has been removed or moved away: ending`);
      void endOnce('stop');
      return;
    }
    if (!isHeld(home)) await joinHome().catch((error: Error) => hasEnded() || say(error.message));
    if (hasEnded() || !hasMoved()) return;
    say(`The Temporal server of this folder is no more at ${address}: ending`);
    void endOnce('stop');
  };

  let isReplaced = false;
  const endIfReplaced = async (asked: Service): Promise<void> => {
    if (!settings.untilReplaced) return;
    const current = await currentBuild(asked, namespace);
    const isFree =
      current !== undefined && current !== buildId && (await countPinnedRuns(asked, namespace, buildId)) === 0;
    // A run that began a moment ago may not be counted yet, and is by the next time.
    if (isFree && isReplaced) {
      say(`The version ${current} has taken over, and no run needs this one (${buildId}): ending`);
      void endOnce('drain');
    }
    isReplaced = isFree;
  };

  /**
   * Takes the runs that are pinned to no version. An `up` in the foreground takes them from everybody when it starts, one in
   * the background only from others in the background of its folder, and a worker for everybody only from older versions: one
   * of the last release may be started again during an upgrade. Later each takes them only from those that have died.
   */
  const beCurrent = async (asked: Service, isStart: boolean): Promise<void> => {
    const current = await currentBuild(asked, namespace);
    isCurrent = current === buildId;
    if (isCurrent) return;
    const pollers = current === undefined ? [] : await livePollers(asked, namespace);
    const isServed = pollers.some((poller) => poller.buildId === current);
    const isInBackground = (each: WorkerRecord): boolean =>
      each.buildId === current && each.background && each.namespace === namespace && each.address === record.address;
    const mayTake = async (): Promise<boolean> =>
      version.isOwn
        ? !background || liveWorkers(home).some(isInBackground)
        : isNewer(asked, namespace, buildId, current ?? '');
    if (isServed && !(isStart && (await mayTake()))) return;
    await makeCurrent(asked, namespace, buildId);
    isCurrent = true;
  };

  let said = '';
  const sayOnce = ({ message }: Error): void => {
    if (message !== said) say(`Runs of a worker that has died are not served yet: ${message}`);
    said = message;
  };

  const look = async (asked: Service): Promise<void> => {
    for (let looks = 1; !hasEnded(); looks++) {
      await pause(pollIntervalMs);
      if (hasEnded()) return;
      await lookAfterServer();
      if (!record.isVersioned) continue;
      // The server may be away for a moment.
      if (looks % looksPerQuestion === 0) {
        await beCurrent(asked, false).catch(() => {});
        await endIfReplaced(asked).catch(() => {});
      }
      await orphaned?.look().catch(sayOnce);
    }
  };

  return {
    /** Finds or starts the server of the home folder. @returns whether it was started */
    async join() {
      const joined = await joinHome();
      address = joined.server.address;
      return joined;
    },

    /** @param isKeeper whether the server is to keep closed runs for as long as this process's environment says */
    async run(onReady: () => void, isKeeper = false): Promise<void> {
      const keys = readKeys(readEnvironment(variables));
      quietRuntime(keys.on);
      outliveUnawaited(keys.on);
      if (keys.on) say(encryptionLine(keys));
      // The TLS settings and the API key of the environment are not meant for the embedded server, and what stays on this
      // machine is not compressed.
      const options = isOwn
        ? { grpcCompression: { codec: 'none' as const } }
        : loadClientConnectConfig({ overrideEnvVars: definedIn(variables) }).connectionOptions;
      const connection = await NativeConnection.connect({ ...options, address });
      service = connection.workflowService;
      // Otherwise the daemon does so.
      if (!isOwn) keepLogsShort(join(home, 'logs'));
      else {
        const days = retentionDays(readEnvironment(variables));
        await ensureNamespace(connection, namespace, days);
        if (isKeeper) await keepRunsFor(connection, days);
      }
      record = { ...record, isVersioned: await hasVersioning(service, namespace) };
      const httpAddress = isOwn ? readLease(home)?.httpAddress : undefined;
      // Where a webhook tells a person to look and answer, unless the environment says so.
      const known = { ...(httpAddress !== undefined && { REPRISE_PUBLIC_URL: httpAddress }), ...definedIn(variables) };
      worker = await startHomeWorker(record, { connection, home, variables: known, ...settings.service });
      if (hasEnded()) return worker.end('stop');
      if (record.isVersioned) await beCurrent(service, true);
      lock?.describe({ ...record, isReady: true });
      if (record.isVersioned && lock) orphaned = orphanedRuns({ home, connection, variables }, record);
      onReady();
      void look(service);
      await worker.done;
      await ending;
    },

    /** Whether a run is open that needs this process. */
    async isNeeded(): Promise<boolean> {
      if (service === undefined || orphaned?.isBusy()) return true;
      // The current version gets what is pinned to none, too, and its worker stays while anybody's run is open.
      const ofAll = !record.isVersioned || isCurrent;
      return (await countOpenRuns(service, namespace, ofAll ? undefined : buildId)) > 0;
    },

    /** Lets calls in flight finish, and gives back what it holds. The server ends with the last worker of its folder. */
    end: endOnce,
  };
}

export type LocalWorker = ReturnType<typeof localWorker>;

/** Copies a bundle that belongs to the package into the home folder, since the next version of the package replaces it. */
function keptCopy(home: string, { buildId, codePath }: WorkerVersion): string {
  if (!relative(home, codePath).startsWith('..')) return codePath;
  const copy = join(home, 'bundles', `${buildId}.js`);
  // At once: another process of this version may look for it at the same time.
  if (!existsSync(copy)) writeAtomic(copy, readFileSync(codePath, 'utf8'));
  return copy;
}
