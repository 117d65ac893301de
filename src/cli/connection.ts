import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { connect, taskQueue, type Reprise } from '../client.ts';
import { readEnvironment } from '../config/environment.ts';
import { noteUse, startBackground } from '../embedded/background.ts';
import { fingerprintOf } from '../embedded/fingerprint.ts';
import { isHeld, readHolder, type Holder } from '../embedded/lock.ts';
import { isAlive } from '../embedded/processes.ts';
import { answers, isListening } from '../embedded/server.ts';
import { CommandError, exitStatus, say, usageError } from './exit.ts';
import { reasonOf } from './failures.ts';
import { homeFolder, type CommonOptions } from './options.ts';
import { targetOf, type Target } from './target.ts';

export interface Opened {
  reprise: Reprise;
  /** Address of the Web UI; undefined where this folder's `up` serves none. */
  uiAddress: string | undefined;
}

/** This folder's `up`, or one that has died and left a server that still answers. */
async function usableHolder(home: string): Promise<Holder | undefined> {
  const holder = readHolder(home);
  if (holder === undefined || isHeld(home)) return holder;
  return (await answers(holder.address)) ? holder : undefined;
}

/** Does a command's work with a connection, and closes it however the work ends. */
export async function withConnection(opened: Promise<Opened>, work: (opened: Opened) => Promise<void>): Promise<void> {
  const connected = await opened;
  try {
    await work(connected);
  } finally {
    await connected.reprise.close();
  }
}

/** Connects for a command that only concerns runs that exist already. @throws `CommandError`, status 3 */
export async function open(options: CommonOptions): Promise<Opened> {
  const holder = await usableHolder(homeFolder());
  return openAt(targetOf(options.temporal, holder), holder);
}

/**
 * Connects for a command that needs a worker. At a local address it starts what is missing: a server where none answers,
 * and a worker where none polls, or where the one in this folder's background has other keys or extensions.
 *
 * @throws `CommandError`, status 3
 */
export async function openWithWorker(options: CommonOptions): Promise<Opened> {
  const home = homeFolder();
  const holder = await usableHolder(home);
  const target = targetOf(options.temporal, holder);
  if (!target.isLocal) return openElsewhere(target);
  noteUse(home);

  const held = isHeld(home) ? holder : undefined;
  const extensions = options.config === undefined ? undefined : dirname(resolve(options.config));
  const isOurs = held?.address === target.address;
  const differs = isOurs && differsFrom(held, target, extensions);
  const replace = differs && held.background;
  if (differs && !replace)
    say('The worker of `reprise up` has other keys or extensions; to use yours, end it and start it again');
  if (isOurs && held.ready && !replace) return openAt(target, held);
  if (!isOurs && (await answers(target.address))) {
    const opened = await openAt(target, undefined);
    if (await hasWorker(opened.reprise, target)) return opened;
    await opened.reprise.close();
    if (held !== undefined)
      throw usageError(
        `This folder's worker serves ${held.address}, and nobody polls the task queue "${taskQueue}" at ${target.address}.\n` +
          `Start a worker there (reprise worker --temporal ${target.address}), or name another folder with REPRISE_HOME`,
      );
  }
  const started = await start(target, home, extensions ?? process.cwd(), replace);
  return openAt({ ...target, address: started.address }, started);
}

/** Starts the server and the worker again where they are local and have died while a command follows a run. */
export async function revive(options: CommonOptions): Promise<void> {
  if (isHeld(homeFolder())) return;
  try {
    const { reprise } = await openWithWorker(options);
    await reprise.close();
  } catch (error) {
    say(reasonOf(error));
  }
}

async function openElsewhere(target: Target): Promise<Opened> {
  const opened = await openAt(target, undefined);
  if (!(await hasWorker(opened.reprise, target)))
    say(
      `Nobody polls the task queue "${taskQueue}" at ${target.address}: runs wait for a worker (there: reprise worker)`,
    );
  return opened;
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
    throw new CommandError(reasonOf(error), exitStatus.unreachable);
  }
}

/**
 * Whether a worker differs from what a command needs.
 *
 * @param extensions the folder that the command needs; any will do when undefined
 */
function differsFrom(holder: Holder, { namespace }: Target, extensions: string | undefined): boolean {
  const environment = readEnvironment(process.env);
  return (
    holder.namespace !== namespace || holder.fingerprint !== fingerprintOf(environment, extensions ?? holder.extensions)
  );
}

/**
 * Connects to a server, and starts nothing.
 *
 * @param holder this folder's `up`, if there is one
 * @throws `CommandError`, status 3, where no Temporal server answers
 */
export async function openAt({ address, namespace, isLocal }: Target, holder: Holder | undefined): Promise<Opened> {
  const ours = holder?.address === address ? holder : undefined;
  try {
    // A server of our own that has died is started again by its `up`, and is worth waiting for.
    if (isLocal && ours === undefined && !(await isListening(address))) throw new Error('nothing listens there');
    const reprise = await connect({
      address,
      namespace,
      plain: ours?.serverPid !== undefined,
      // It is known to be there, so that only a busy machine can keep it from answering.
      ...(ours && { connectTimeout: '30 seconds' }),
    });
    return { reprise, uiAddress: ours?.uiAddress };
  } catch (error) {
    throw new CommandError(
      `Temporal does not answer at ${address} (${reasonOf(error)}).\n` +
        'Name another address with --temporal or TEMPORAL_ADDRESS, or start one here: reprise up',
      exitStatus.unreachable,
    );
  }
}

/** Whether somebody polls the task queue for workflows. */
async function hasWorker({ client }: Reprise, { namespace }: Target): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: 1,
  });
  return (pollers ?? []).some(({ identity }) => identity && !isDeadHere(identity));
}

/** Whether a poller was a process of this machine that has ended: Temporal lists a killed worker for minutes. */
function isDeadHere(identity: string): boolean {
  const [pid, host] = identity.split('@');
  return host === hostname() && !isAlive(Number(pid));
}
