import { connect } from '../../client.ts';
import { readHolder, takeLock } from '../../embedded/lock.ts';
import { Up, type Ending } from '../../embedded/up.ts';
import { MissingSearchAttributes } from '../../worker/search-attributes.ts';
import { targetOf } from '../connection.ts';
import { CommandError, exitStatus, say, usageError } from '../exit.ts';
import { homeFolder, type CommonOptions } from '../options.ts';

export interface UpOptions extends CommonOptions {
  extensions: string;
  background?: boolean;
  /** Waits for the present holder, which was asked to hand over. */
  takeOver?: boolean;
}

const lookEveryMs = 5000;

/** How long the one before may take to let its calls in flight finish. */
const handOverMs = 10 * 60_000;

/** `reprise up`: embedded Temporal, Web UI and worker, until interrupted. */
export async function up(options: UpOptions): Promise<void> {
  const home = homeFolder();
  const background = options.background ?? false;
  const previous = readHolder(home);
  const { address, namespace, isLocal } = targetOf(options.temporal, undefined);
  if (!isLocal)
    throw usageError(`up serves this machine only; ${address} is elsewhere (there: reprise worker)`);
  const lock = await takeOrWait(home, options.takeOver ?? false);
  if (lock === undefined) {
    say(
      `Reprise is up here already: ${previous?.address ?? home}${previous?.uiAddress ? `, Web UI ${previous.uiAddress}` : ''}`,
    );
    return;
  }
  const settings = { home, address, namespace, extensions: options.extensions, background, say };
  const running = await Up.start(settings, lock, previous);
  let ending: Promise<void> | undefined;
  const end = (how: Ending): void => {
    // A second Ctrl-C does not wait for calls in flight: the next worker finishes them.
    if (ending !== undefined && how === 'stop') process.exit(exitStatus.interrupted);
    ending ??= running.end(how).then(() => process.exit(exitStatus.done));
  };
  process.on('SIGINT', () => end('stop'));
  process.on('SIGTERM', () => end('stop'));
  process.on('SIGUSR2', () => end('hand over'));
  if (background) void endWhenIdle(running, namespace, home, () => end('stop'));
  say(
    `Temporal ${running.holder.address}${running.holder.uiAddress ? `, Web UI ${running.holder.uiAddress}` : ''}`,
  );
  try {
    await running.run();
  } catch (error) {
    await running.end('stop');
    if (error instanceof MissingSearchAttributes)
      throw new CommandError(error.message, exitStatus.unreachable);
    throw error;
  }
  await ending;
}

/** Of several that want to take over at once one gets the folder, and the others leave it to that one. */
async function takeOrWait(home: string, takeOver: boolean) {
  const deadline = Date.now() + (takeOver ? handOverMs : 0);
  const before = readHolder(home);
  for (;;) {
    const lock = takeLock(home);
    if (lock !== undefined || Date.now() >= deadline) return lock;
    const holder = readHolder(home);
    if (holder !== undefined && holder.pid !== before?.pid) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function endWhenIdle(running: Up, namespace: string, home: string, end: () => void): Promise<void> {
  const minutes = Number(process.env['REPRISE_IDLE_MINUTES'] || 10);
  const startedAt = Date.now();
  const reprise = await connect({ address: running.holder.address, namespace });
  const countOpen = async (): Promise<number> =>
    (await reprise.client.workflow.count("ExecutionStatus = 'Running'")).count;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(lookEveryMs, minutes * 15_000)));
    const long = minutes * 60_000;
    const idle = Date.now() - startedAt > long && (await running.isIdle(countOpen, long).catch(() => false));
    if (idle) {
      say(`Idle for ${minutes} minutes: ending (${home})`);
      end();
      return;
    }
  }
}
