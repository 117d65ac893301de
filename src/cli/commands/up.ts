import { setTimeout as pause } from 'node:timers/promises';
import { askToHandOver } from '../../local/background.ts';
import { isOwnServer } from '../../local/home-server.ts';
import type { ShutdownMode } from '../../local/home-worker.ts';
import { takeLock, type Lock } from '../../local/lock.ts';
import { isAlive } from '../../util/processes.ts';
import { want } from '../../local/orphaned-runs.ts';
import { localWorker, type LocalWorker } from '../../local/local-worker.ts';
import { currentVersion } from '../../local/worker-version.ts';
import { idleMs, lastUse, readWorker, workerFolder, type Queue, type WorkerRecord } from '../../local/workers.ts';
import { retentionDays } from '../../local/retention.ts';
import { readKeys } from '../../encryption/keys.ts';
import { logFormat } from '../../worker/log-sink.ts';
import { defaultAddress } from '../../client.ts';
import { isMarkedAt } from '../connection.ts';
import { CommandError, exitStatus, Interruption, usageError } from '../exit.ts';
import { asCommandError } from '../failures.ts';
import { countText } from '../../client/show/spent.ts';
import { allowed, openHome, type CommonOptions } from '../options.ts';
import type { Shell } from '../shell.ts';
import { targetOf } from '../target.ts';
import { waysIn } from '../ways-in.ts';

interface UpOptions extends CommonOptions {
  extensions: string;
  allow?: string[];
  background?: boolean;
  /** Whether the address is the default one, which the person did not name. */
  unnamed?: boolean;
  /** Variables that the worker's version depends on besides those that are always read. */
  variable?: string[];
}

export async function up(shell: Shell, options: UpOptions): Promise<void> {
  const { environment, say } = shell;
  shell.sayAs(logFormat(environment));
  const background = options.background ?? false;
  const { address, isLocal, isNamed, namespace } = targetOf(shell, options.temporal, undefined);
  if (!isLocal) throw usageError(`up serves this machine only; ${address} is elsewhere (there: reprise worker)`);
  const named = isNamed && !options.unnamed;
  const minutes = idleMinutes(shell);
  const days = retentionDays(environment);
  const home = openHome(shell);
  const bundling = (): void => say('Bundling the workflows (once) …');
  // A bad key must end this before anything is started.
  readKeys(environment);
  const allow = allowed(shell, options.allow);
  const extensions = shell.path(options.extensions);
  const version = await currentVersion(home, extensions, environment, options.variable ?? [], allow, bundling);
  const isOwn = await isOwnServer(home, address, named);
  if (!isOwn && (await isMarkedAt(shell, { address, namespace, isLocal })))
    throw usageError(`The runs at ${address} have workers of their own, and up starts none for them`);
  const queue: Queue = { namespace, ...(!isOwn && { address }) };
  const folder = workerFolder(home, version.buildId, queue);
  const lock = await takeWorker(shell, folder, background);
  if (lock === undefined) return;

  const place = { home, isOwn, address, isNamed: named, namespace };
  const running = localWorker({ ...place, version, background, variables: shell.env, say }, lock);
  let endingSince = 0;
  const over = Promise.withResolvers<void>();
  const end = (how: ShutdownMode): void => {
    // A second Ctrl-C does not wait for calls in flight, which the next worker makes again. A signal to the whole process
    // group arrives twice at nearly the same time, since the bootstrap passes its own on.
    const isSecond = endingSince > 0 && Date.now() - endingSince > 500;
    if (isSecond && how === 'stop') over.reject(new Interruption());
    endingSince ||= Date.now();
    running.end(how).then(over.resolve, over.reject);
  };
  const ignore = [
    shell.onSignal(['SIGINT', 'SIGTERM'], () => end('stop')),
    shell.onSignal(['SIGUSR2'], () => end('drain')),
  ];
  const serve = async (): Promise<void> => {
    const joined = isOwn ? await running.join() : undefined;
    const ui = joined === undefined ? '' : `, Web UI ${joined.server.uiAddress}`;
    const isKeeper = joined?.isStarted || (isOwn && !background);
    const kept = isKeeper ? `; closed runs are kept for ${countText(days, 'day')}` : '';
    const at = joined?.server.address ?? address;
    say(`Temporal ${at}${ui}${kept}`);
    if (joined?.server.httpAddress !== undefined && !background) say(waysIn(shell, joined.server.httpAddress));
    if (at !== defaultAddress && !background) say(`For programs and the Temporal CLI: export TEMPORAL_ADDRESS=${at}`);
    const onReady = (): void => {
      if (background) void endWhenIdle(shell, running, [home, folder], minutes, () => end('stop'));
      else say('Ready. Ctrl-C ends it.');
    };
    await running.run(onReady, isKeeper);
  };
  try {
    const served = serve().catch((error: unknown) => {
      // One that is ended while it starts has no server any more.
      if (endingSince === 0) throw error;
      return over.promise;
    });
    await Promise.race([over.promise, served]);
  } catch (error) {
    if (error instanceof Interruption) throw error;
    await running.end('stop');
    const failure = asCommandError(error);
    throw failure instanceof Error && !(failure instanceof CommandError)
      ? new CommandError(failure.message, exitStatus.unreachable)
      : failure;
  } finally {
    for (const each of ignore) each();
  }
}

/** @returns undefined where the folder is another `up`'s and stays so: of several that wait, one gets it */
async function takeWorker(shell: Shell, folder: string, background: boolean): Promise<Lock<WorkerRecord> | undefined> {
  const first = await takeFree(folder);
  if (first !== undefined) return first;
  const before = readWorker(folder);
  if (before?.standsIn) want(folder, true);
  else if (background || !before?.background) {
    if (!background) shell.say(`Reprise is up here already, as process ${before?.pid ?? '?'}`);
    return undefined;
  } else {
    shell.say('Taking over from the background; its calls in flight finish first …');
    askToHandOver(before);
  }
  for (let record: WorkerRecord | undefined = before; record?.pid === before?.pid; record = readWorker(folder)) {
    const lock = takeLock<WorkerRecord>(folder);
    if (lock !== undefined) {
      want(folder, false);
      return lock;
    }
    await pause(100);
  }
  return undefined;
}

async function takeFree(folder: string): Promise<Lock<WorkerRecord> | undefined> {
  // Commands that look whether the folder is held hold it themselves for a moment, and no living process is recorded then.
  const until = Date.now() + 5000;
  for (;;) {
    const lock = takeLock<WorkerRecord>(folder);
    const holder = readWorker(folder);
    if (lock !== undefined || Date.now() > until || (holder !== undefined && isAlive(holder.pid))) return lock;
    await pause(100 * Math.random());
  }
}

/**
 * Ends an `up` once no run has needed it and no command has used it for so many minutes. Where another worker of the home was
 * used since, it takes a fifth of that.
 */
async function endWhenIdle(
  shell: Shell,
  running: LocalWorker,
  [home, folder]: [string, string],
  minutes: number,
  end: () => void,
): Promise<void> {
  let busyAt = Date.now();
  const restMs = (): number => {
    const usedAt = Math.max(busyAt, lastUse(folder));
    return usedAt + minutes * 60_000 * (lastUse(home) > usedAt ? 1 / 5 : 1) - Date.now();
  };
  while (restMs() > 0) {
    await pause(Math.min(5000, minutes * 15_000));
    // Where the server does not answer for a moment, a run is assumed to be open.
    if (await running.isNeeded().catch(() => true)) busyAt = Date.now();
  }
  shell.say(`Idle for ${minutes === 1 ? '1 minute' : `${minutes} minutes`}: ending`);
  end();
}

function idleMinutes({ env }: Shell): number {
  const minutes = idleMs(env) / 60_000;
  if (minutes > 0) return minutes;
  throw usageError('REPRISE_IDLE_MINUTES must be a number of minutes above 0');
}
