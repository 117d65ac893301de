import { connect, taskQueue } from '../../client.ts';
import { askToHandOver, lastUse, stopUp } from '../../embedded/background.ts';
import { endServer } from '../../embedded/home-server.ts';
import { readHolder, takeLock, type Holder, type Lock } from '../../embedded/lock.ts';
import { Up, type Ending } from '../../embedded/up.ts';
import { CommandError, exitStatus, say, usageError } from '../exit.ts';
import { asCommandError } from '../failures.ts';
import { homeFolder, type CommonOptions } from '../options.ts';
import { targetOf } from '../target.ts';

export interface UpOptions extends CommonOptions {
  extensions: string;
  background?: boolean;
  /** The pid of an `up` that was asked to hand over, and that this one waits for. */
  takeOver?: number;
}

const lookEveryMs = 5000;

/** Two signals within this time, in milliseconds, count as one. */
const sameSignalMs = 500;

/** `reprise up`: runs embedded Temporal, the Web UI and a worker, until interrupted. */
export async function up(options: UpOptions): Promise<void> {
  const home = homeFolder();
  const background = options.background ?? false;
  const { address, namespace, isLocal } = targetOf(options.temporal, undefined);
  if (!isLocal) throw usageError(`up serves this machine only; ${address} is elsewhere (there: reprise worker)`);
  const minutes = idleMinutes();
  const lock = takeLock(home) ?? (await takeOver(home, background, options.takeOver));
  if (lock === undefined) return;

  let running: Up | undefined;
  let ending: Promise<void> | undefined;
  let endingSince = 0;
  const end = (how: Ending): void => {
    // A second Ctrl-C does not wait for calls in flight, which the next worker makes again. A signal to the whole process
    // group arrives twice at nearly the same time, since the bootstrap passes its own on.
    const isSecond = ending !== undefined && Date.now() - endingSince > sameSignalMs;
    if (isSecond && how === 'stop') process.exit(exitStatus.interrupted);
    endingSince ||= Date.now();
    ending ??= (running?.end(how) ?? endServer(home)).then(() => process.exit(exitStatus.done));
  };
  process.on('SIGINT', () => end('stop'));
  process.on('SIGTERM', () => end('stop'));
  process.on('SIGUSR2', () => end('hand over'));

  try {
    running = await Up.start({ home, address, namespace, extensions: options.extensions, background, say }, lock);
    say(placeText(running.holder));
    if (background) void endWhenIdle(running, home, minutes, () => end('stop'));
    await running.run(() => background || say('Ready. Ctrl-C ends it.'));
    await ending;
  } catch (error) {
    await running?.end('stop');
    const failure = asCommandError(error);
    throw failure instanceof Error && !(failure instanceof CommandError)
      ? new CommandError(failure.message, exitStatus.unreachable)
      : failure;
  }
}

const placeText = ({ address, uiAddress }: Holder): string =>
  `Temporal ${address}${uiAddress === undefined ? '' : `, Web UI ${uiAddress}`}`;

/**
 * Takes the folder over from the `up` that holds it. An `up` in the foreground asks one in the background to hand over;
 * for an `up` in the background, the command that started it has asked already.
 *
 * @param asked the pid of the `up` that was asked already
 * @returns undefined where the folder is somebody else's and stays so: of several that wait, one gets it
 */
async function takeOver(home: string, background: boolean, asked: number | undefined): Promise<Lock | undefined> {
  const before = readHolder(home);
  let from = asked;
  if (!background && before?.background) {
    say('Taking over from the background; its calls in flight finish first …');
    askToHandOver(before);
    from = before.pid;
  }
  if (from !== undefined) {
    for (let holder = before; holder === undefined || holder.pid === from; holder = readHolder(home)) {
      const lock = takeLock(home);
      if (lock !== undefined) return lock;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  if (!background) say(`Reprise is up here already: ${before === undefined ? home : placeText(before)}`);
  return undefined;
}

/** Ends an `up` once no run has been open and no command has come for so many minutes. */
async function endWhenIdle(running: Up, home: string, minutes: number, end: () => void): Promise<void> {
  let busyAt = Date.now();
  while (Date.now() - Math.max(busyAt, lastUse(home)) < minutes * 60_000) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(lookEveryMs, minutes * 15_000)));
    // Where the server does not answer for a moment, a run is assumed to be open.
    const open = await countOpen(running).catch(() => 1);
    if (open > 0) busyAt = Date.now();
  }
  say(`Idle for ${minutes} minutes: ending`);
  end();
}

function idleMinutes(): number {
  const minutes = Number(process.env['REPRISE_IDLE_MINUTES'] || 10);
  if (minutes > 0) return minutes;
  throw usageError('REPRISE_IDLE_MINUTES must be a number of minutes above 0');
}

async function countOpen({ holder: { address, namespace, serverPid } }: Up): Promise<number> {
  const reprise = await connect({ address, namespace, plain: serverPid !== undefined });
  try {
    const query = `TaskQueue = '${taskQueue}' AND ExecutionStatus = 'Running'`;
    return (await reprise.client.workflow.count(query)).count;
  } finally {
    await reprise.close();
  }
}

/** `reprise down`: ends this folder's `up`. Open runs go on under the next one. */
export async function down(): Promise<void> {
  const home = homeFolder();
  say((await stopUp(home)) ? 'Reprise is down; open runs go on when it is up again' : `Nothing is up in ${home}`);
}
