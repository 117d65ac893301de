import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { connect, taskQueue, type Reprise } from '../client.ts';
import { readEnvironment } from '../config/environment.ts';
import { startBackground } from '../embedded/background.ts';
import { fingerprintOf } from '../embedded/fingerprint.ts';
import { noteUse } from '../embedded/last-use.ts';
import { isHeld, readHolder, type Holder } from '../embedded/lock.ts';
import { isAlive } from '../embedded/processes.ts';
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

/** This folder's `up`, or what a dead one has left: a server that still answers. */
async function usableHolder(home: string): Promise<Holder | undefined> {
  const holder = readHolder(home);
  if (holder === undefined || isHeld(home)) return holder;
  return (await answers(holder.address)) ? holder : undefined;
}

/** Connects for a command that only talks to runs that are there. @throws `CommandError`, status 3 */
export async function open(options: CommonOptions): Promise<Opened> {
  const holder = await usableHolder(homeFolder());
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
  const holder = await usableHolder(home);
  const target = targetOf(options.temporal, holder);
  if (!target.isLocal) return openAt(target, holder);

  const extensions = options.config === undefined ? undefined : dirname(resolve(options.config));
  const ours = holder?.address === target.address && isHeld(home) ? holder : undefined;
  const replace = ours?.background === true && differs(ours, extensions);
  if (ours?.ready && !replace) return openAt(target, ours);
  if (ours === undefined && (await answers(target.address)) && (await hasWorker(target)))
    return openAt(target, undefined);
  const started = await start(target, home, extensions ?? process.cwd(), replace);
  return openAt({ ...target, address: started.address }, started);
}

async function start(
  { address, namespace }: Target,
  home: string,
  extensions: string,
  replace: boolean,
): Promise<Holder> {
  say(
    replace
      ? 'Replacing the background worker: keys or extensions have changed …'
      : 'Starting Temporal and a worker in the background …',
  );
  try {
    return await startBackground({ home, address, namespace, extensions, replace, onProgress: say });
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), exitStatus.unreachable);
  }
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
    return (pollers ?? []).some(({ identity }) => identity && !isDeadHere(identity));
  } finally {
    await reprise.close();
  }
}

/** A worker that was killed is listed for minutes: where it was on this machine, its process tells. */
function isDeadHere(identity: string): boolean {
  const [pid, host] = identity.split('@');
  return host === hostname() && !isAlive(Number(pid));
}
