import { dirname, resolve } from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { connect, taskQueue, type Reprise } from '../client.ts';
import { readEnvironment } from '../config/environment.ts';
import { startBackground } from '../embedded/background.ts';
import { fingerprintOf } from '../embedded/fingerprint.ts';
import { noteUse } from '../embedded/last-use.ts';
import { isHeld, readHolder, type Holder } from '../embedded/lock.ts';
import { answers } from '../embedded/server.ts';
import { CommandError, exitStatus, say } from './exit.ts';
import { homeFolder, type CommonOptions } from './options.ts';

/** Where Temporal runs when nobody says. */
export const defaultAddress = '127.0.0.1:7233';

export interface Target {
  address: string;
  namespace: string;
  /** Whether what is missing there may be started by a command. */
  isLocal: boolean;
  /** Whether the person named the address. */
  isNamed: boolean;
}

/** `--temporal`, then the Temporal CLI's own configuration, then this folder's `up`, then port 7233. */
export function targetOf(temporal: string | undefined, holder: Holder | undefined): Target {
  const { connectionOptions, namespace = 'default' } = loadClientConnectConfig();
  const isNamed =
    temporal !== undefined || Boolean(process.env['TEMPORAL_ADDRESS'] || process.env['TEMPORAL_PROFILE']);
  const configured = temporal ?? connectionOptions.address;
  const address = (isNamed ? configured : holder?.address) ?? configured ?? defaultAddress;
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]):\d+$/.test(address);
  return { address: address.replace(/^localhost:/, '127.0.0.1:'), namespace, isLocal, isNamed };
}

export interface Opened {
  reprise: Reprise;
  /** The Web UI's address, where this folder's `up` serves one. */
  uiAddress: string | undefined;
}

/** Connects for a command that only talks to runs that are there. @throws `CommandError`, status 3 */
export async function open(options: CommonOptions): Promise<Opened> {
  const home = homeFolder();
  const holder = isHeld(home) ? readHolder(home) : undefined;
  return openAt(targetOf(options.temporal, holder), holder);
}

/**
 * Connects for a command that needs a worker, and starts what is missing at a local address: a server where none
 * answers, a worker where nobody polls or where this folder's own differs from what the command needs.
 *
 * @throws `CommandError`, status 3
 */
export async function openWithWorker(options: CommonOptions): Promise<Opened> {
  const home = homeFolder();
  noteUse(home);
  const holder = isHeld(home) ? readHolder(home) : undefined;
  const target = targetOf(options.temporal, holder);
  if (!target.isLocal) return openAt(target, holder);

  const extensions = options.config === undefined ? undefined : dirname(resolve(options.config));
  const isOurs = holder !== undefined && holder.address === target.address;
  const replace = isOurs && holder.background && differs(holder, extensions);
  if (!isOurs || replace || !holder.ready) {
    const isServed = !replace && (await answers(target.address)) && (await hasWorker(target));
    if (!isServed) {
      say(
        replace
          ? 'Replacing the background worker: keys or extensions have changed …'
          : 'Starting Temporal and a worker in the background …',
      );
      const { address, namespace } = target;
      const settings = {
        home,
        address,
        namespace,
        extensions: extensions ?? process.cwd(),
        replace,
        onProgress: say,
      };
      const started = await startBackground(settings).catch((error: Error) => {
        throw new CommandError(error.message, exitStatus.unreachable);
      });
      return openAt({ ...target, address: started.address }, started);
    }
  }
  return openAt(target, isOurs ? holder : undefined);
}

/** A command without a configuration takes whatever extensions folder the worker has. */
function differs(holder: Holder, extensions: string | undefined): boolean {
  const environment = readEnvironment(process.env);
  return holder.fingerprint !== fingerprintOf(environment, extensions ?? holder.extensions);
}

async function openAt({ address, namespace }: Target, holder: Holder | undefined): Promise<Opened> {
  try {
    const reprise = await connect({ address, namespace });
    return { reprise, uiAddress: holder?.address === address ? holder.uiAddress : undefined };
  } catch (error) {
    throw new CommandError(
      `Temporal does not answer at ${address} (${error instanceof Error ? error.message : String(error)}).\n` +
        'Name another address with --temporal or TEMPORAL_ADDRESS, or start one here: reprise up',
      exitStatus.unreachable,
    );
  }
}

/** Whether somebody polls the task queue for workflows. */
async function hasWorker({ address, namespace }: Target): Promise<boolean> {
  const reprise = await connect({ address, namespace });
  try {
    const { pollers } = await reprise.client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: 1,
    });
    // A worker that was killed stays in the list for minutes: only one that has just polled counts.
    const fresh = (seconds: unknown): boolean => Date.now() / 1000 - Number(seconds) < pollerFreshSeconds;
    return (pollers ?? []).some(({ lastAccessTime }) => fresh(lastAccessTime?.seconds));
  } finally {
    await reprise.close();
  }
}

/** A worker's poll lasts a minute. */
const pollerFreshSeconds = 70;
