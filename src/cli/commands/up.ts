import { askToHandOver, lastUse, stopUp } from '../../local/background.ts';
import { isOwnServer, OtherAddressError } from '../../local/home-server.ts';
import type { Ending } from '../../local/home-worker.ts';
import { takeLock, type Lock } from '../../local/lock.ts';
import { isAlive } from '../../util/processes.ts';
import { ServerKeeper } from '../../local/server-keeper.ts';
import { want } from '../../local/stand-ins.ts';
import { Up } from '../../local/up.ts';
import { currentVersion } from '../../local/worker-version.ts';
import { readWorker, workerFolder, type Queue, type WorkerRecord } from '../../local/workers.ts';
import { retentionDays } from '../../local/retention.ts';
import { readKeys } from '../../encryption/keys.ts';
import { logFormat } from '../../worker/log-format.ts';
import { CommandError, exitStatus, Interruption, usageError } from '../exit.ts';
import { asCommandError } from '../failures.ts';
import { countText } from '../live/spent.ts';
import { allowed, homeFolder, openHome, type CommonOptions } from '../options.ts';
import type { Shell } from '../shell.ts';
import { targetOf } from '../target.ts';

export interface UpOptions extends CommonOptions {
  extensions: string;
  allow?: string[];
  background?: boolean;
  /** Whether the address is the default one, which the person did not name. */
  unnamed?: boolean;
  /** Variables that the worker's version depends on besides those that are always read. */
  variable?: string[];
}

const lookEveryMs = 5000;

/** Two signals within this time, in milliseconds, count as one. */
const sameSignalMs = 500;

/** `reprise up`: runs embedded Temporal, the Web UI and a worker, until interrupted. */
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
  const isOwn = await ownServer(home, address, named);
  const queue: Queue = { namespace, ...(!isOwn && { address }) };
  const lock = await takeWorker(shell, workerFolder(home, version.buildId, queue), background);
  if (lock === undefined) return;

  let keeper: ServerKeeper | undefined;
  let running: Up | undefined;
  let ending: Promise<void> | undefined;
  let endingSince = 0;
  const over = Promise.withResolvers<void>();
  const end = (how: Ending): void => {
    // A second Ctrl-C does not wait for calls in flight, which the next worker makes again. A signal to the whole process
    // group arrives twice at nearly the same time, since the bootstrap passes its own on.
    const isSecond = ending !== undefined && Date.now() - endingSince > sameSignalMs;
    if (isSecond && how === 'stop') over.reject(new Interruption());
    endingSince ||= Date.now();
    ending ??= running?.end(how) ?? keeper?.leave(how === 'stop') ?? Promise.resolve();
    ending.then(over.resolve, over.reject);
  };
  const ignore = [
    shell.onSignal(['SIGINT', 'SIGTERM'], () => end('stop')),
    shell.onSignal(['SIGUSR2'], () => end('hand over')),
  ];
  const serve = async (): Promise<void> => {
    keeper = isOwn ? await ServerKeeper.join(home, address, named, say) : undefined;
    const place = keeper?.server.address ?? address;
    running = new Up({ home, keeper, address: place, namespace, version, background, variables: shell.env, say }, lock);
    const ui = keeper === undefined ? '' : `, Web UI ${keeper.server.uiAddress}`;
    const kept = keeper?.isKeeper ? `; closed runs are kept for ${countText(days, 'day')}` : '';
    say(`Temporal ${place}${ui}${kept}`);
    if (background) void endWhenIdle(shell, running, home, minutes, () => end('stop'));
    await running.run(() => background || say('Ready. Ctrl-C ends it.'));
    await ending;
  };
  try {
    await Promise.race([over.promise, serve()]);
  } catch (error) {
    if (error instanceof Interruption) throw error;
    if (running === undefined) await keeper?.leave(true);
    else await running.end('stop');
    const failure = asCommandError(error);
    throw failure instanceof Error && !(failure instanceof CommandError)
      ? new CommandError(failure.message, exitStatus.unreachable)
      : failure;
  } finally {
    for (const each of ignore) each();
  }
}

/** @throws `CommandError`, status 2, where the address is not that of the folder's server, which runs */
async function ownServer(home: string, address: string, isNamed: boolean): Promise<boolean> {
  try {
    return await isOwnServer(home, address, isNamed);
  } catch (error) {
    throw error instanceof OtherAddressError ? usageError(error.message) : error;
  }
}

/**
 * Takes a worker's folder, from a stand-in or from an `up` in the background, too: one in the foreground asks that to hand
 * over.
 *
 * @returns undefined where the folder is another `up`'s and stays so: of several that wait, one gets it
 */
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
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return undefined;
}

/** How long a folder that no living process has recorded may be held, in milliseconds: commands look whether it is. */
const lookedAtMs = 5000;

async function takeFree(folder: string): Promise<Lock<WorkerRecord> | undefined> {
  const until = Date.now() + lookedAtMs;
  for (;;) {
    const lock = takeLock<WorkerRecord>(folder);
    const holder = readWorker(folder);
    if (lock !== undefined || Date.now() > until || (holder !== undefined && isAlive(holder.pid))) return lock;
    await new Promise((resolve) => setTimeout(resolve, 100 * Math.random()));
  }
}

/** Ends an `up` once no run has needed it and no command has come for so many minutes. */
async function endWhenIdle(shell: Shell, running: Up, home: string, minutes: number, end: () => void): Promise<void> {
  let busyAt = Date.now();
  while (Date.now() - Math.max(busyAt, lastUse(home)) < minutes * 60_000) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(lookEveryMs, minutes * 15_000)));
    // Where the server does not answer for a moment, a run is assumed to be open.
    if (await running.isNeeded().catch(() => true)) busyAt = Date.now();
  }
  shell.say(`Idle for ${minutes === 1 ? '1 minute' : `${minutes} minutes`}: ending`);
  end();
}

function idleMinutes({ env }: Shell): number {
  const minutes = Number(env['REPRISE_IDLE_MINUTES'] || 10);
  if (minutes > 0) return minutes;
  throw usageError('REPRISE_IDLE_MINUTES must be a number of minutes above 0');
}

/** `reprise down`: ends this folder's `up`. Open runs go on under the next one. */
export async function down(shell: Shell): Promise<void> {
  const home = homeFolder(shell);
  shell.say((await stopUp(home)) ? 'Reprise is down; open runs go on when it is up again' : `Nothing is up in ${home}`);
}
