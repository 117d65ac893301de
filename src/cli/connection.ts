import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { BadKeyError, connect, taskQueue, UnreachableError, type Reprise } from '../client.ts';
import { startBackground } from '../local/background.ts';
import { isAnotherHomes, isOwnServer } from '../local/home-server.ts';
import { isHeld, readLease, type ServerLease } from '../local/lock.ts';
import { retentionDays } from '../local/retention.ts';
import { answers, isListening } from '../local/server.ts';
import { textOf } from '../config/extensions.ts';
import { variablesNamedIn } from '../config/variables.ts';
import { currentVersion } from '../local/worker-version.ts';
import { noteUse, liveWorkers, workerFolder, type Queue, type WorkerRecord } from '../local/workers.ts';
import { livePollers } from '../client/pollers.ts';
import { readRates } from '../models/rates/settings.ts';
import { isMarked } from '../worker/deployment.ts';
import { logFormat } from '../worker/log-sink.ts';
import { CommandError, exitStatus } from './exit.ts';
import { reasonOf } from './failures.ts';
import { allowed, homeFolder, openHome, type CommonOptions } from './options.ts';
import type { Shell } from './shell.ts';
import { targetOf, type Target } from './target.ts';

export interface WorkerNeeds extends CommonOptions {
  /** A folder, any configuration of which the worker must be fit for. */
  configs?: string;
}

export type Opened = { reprise: Reprise; uiAddress: string | undefined; buildId?: string | undefined };

/** The page of a run in the Web UI, or that of all runs; undefined where this folder's `up` serves none. */
export function pageOf({ reprise, uiAddress }: Opened, id?: string): string | undefined {
  if (uiAddress === undefined) return undefined;
  const page = `${uiAddress}/namespaces/${encodeURIComponent(reprise.client.options.namespace)}/workflows`;
  return id === undefined ? page : `${page}/${encodeURIComponent(id)}`;
}

/** This folder's daemon, or one that has died and left a server that still answers. */
async function usableLease(home: string): Promise<ServerLease | undefined> {
  const holder = readLease(home);
  if (holder === undefined || isHeld(home)) return holder;
  return (await answers(holder.address)) ? holder : undefined;
}

export async function withConnection<T>(opened: Promise<Opened>, work: (opened: Opened) => Promise<T>): Promise<T> {
  const connected = await opened;
  try {
    return await work(connected);
  } finally {
    await connected.reprise.close();
  }
}

/** Connects for a command that only concerns runs that exist already. @throws `CommandError`, status 3 */
export async function open(shell: Shell, options: CommonOptions): Promise<Opened> {
  const home = homeFolder(shell);
  if (existsSync(home)) openHome(shell);
  const holder = await usableLease(home);
  const target = targetOf(shell, options.temporal, holder);
  if (holder === undefined && !target.isNamed && isAnotherHomes(target.address, home))
    throw new CommandError(
      `The server of this folder does not run, and at ${target.address} is the one of another folder.\n` +
        `Start this folder's: reprise up; or name the other one: --temporal ${target.address}`,
      exitStatus.unreachable,
    );
  return openAt(shell, target, holder);
}

interface Place {
  target: Target;
  isOwn: boolean;
  /** Whether workers of somebody else's take the runs, which have keys and files of their own. */
  isForOthers: boolean;
}

/** What has been found out, for each call of the command line. */
const places = new WeakMap<Shell, Promise<Place>>();

function placeOf(shell: Shell, options: CommonOptions): Promise<Place> {
  const place = places.get(shell) ?? findPlace(shell, options);
  places.set(shell, place);
  return place;
}

async function findPlace(shell: Shell, options: CommonOptions): Promise<Place> {
  const home = homeFolder(shell);
  const target = targetOf(shell, options.temporal, await usableLease(home));
  if (!target.isLocal) return { target, isOwn: false, isForOthers: true };
  const isOwn = await isOwnServer(home, target.address, target.isNamed);
  if (isOwn) return { target, isOwn, isForOthers: false };
  // Somebody's own worker serves everybody's runs.
  const isForOthers = await withConnection(openAt(shell, target), async ({ reprise }) => {
    const service = reprise.client.workflowService;
    if (await isMarked(service, target.namespace)) return true;
    return (await livePollers(service, target.namespace)).some((poller) => !poller.isOwn);
  });
  return { target, isOwn, isForOthers };
}

/** Whether a server's namespace is marked as one for which nobody starts workers in passing. */
export const isMarkedAt = (shell: Shell, target: Omit<Target, 'isNamed'>): Promise<boolean> =>
  withConnection(openAt(shell, target), ({ reprise }) => isMarked(reprise.client.workflowService, target.namespace));

/** Whether a command's runs have workers of this person's, with the same environment and the same files. */
export const areWorkersOwn = async (shell: Shell, options: CommonOptions): Promise<boolean> =>
  !(await placeOf(shell, options)).isForOthers;

/**
 * Connects for a command that needs a worker. At a local address it starts what is missing: a server where none answers, and
 * a worker where none has the keys and extensions of this command, with which the runs stay that the command starts.
 *
 * @throws `CommandError`, status 3
 */
export async function openWithWorker(shell: Shell, options: WorkerNeeds): Promise<Opened> {
  const home = openHome(shell);
  const { isForOthers, isOwn, target } = await placeOf(shell, options);
  if (isForOthers) return openElsewhere(shell, target);
  noteUse(home);
  const worker = await workerFor(shell, options, target, isOwn, home);
  const server = readLease(home);
  const address = worker.address ?? server?.address ?? target.address;
  const buildId = worker.isVersioned ? worker.buildId : undefined;
  return openAt(shell, { ...target, address }, isOwn ? server : undefined, buildId);
}

/** Starts the server and the worker again where they are local and have died while a command follows a run. */
export async function revive(shell: Shell, options: CommonOptions): Promise<void> {
  // Who serves it may have changed.
  places.delete(shell);
  await withConnection(openWithWorker(shell, options), async () => {}).catch((error: unknown) =>
    shell.say(reasonOf(error)),
  );
}

async function openElsewhere(shell: Shell, target: Target): Promise<Opened> {
  const opened = await openAt(shell, target);
  const pollers = await livePollers(opened.reprise.client.workflowService, target.namespace);
  if (pollers.length === 0)
    shell.say(
      `Nobody polls the task queue "${taskQueue}" at ${target.address}: runs wait for a worker (there: reprise worker)`,
    );
  return opened;
}

/** The folder that a worker must be of, if any, and the texts by which it is to have variables. */
async function neededBy(shell: Shell, { config, configs }: WorkerNeeds): Promise<{ folder?: string; texts: string[] }> {
  if (configs !== undefined) {
    const { configsIn } = await import('../config/read-config.ts');
    return { folder: configs, texts: configsIn(configs).map((file) => textOf(join(configs, file))) };
  }
  if (config === undefined) return { texts: [] };
  const file = shell.path(config);
  return { folder: dirname(file), texts: [readFileSync(file, 'utf8')] };
}

async function workerFor(
  shell: Shell,
  needs: WorkerNeeds,
  { address, isNamed, namespace }: Target,
  isOwn: boolean,
  home: string,
): Promise<WorkerRecord> {
  const { cwd, env, environment, say } = shell;
  const queue: Queue = { namespace, ...(!isOwn && { address }) };
  const own = await neededBy(shell, needs);
  const variables = variablesNamedIn(own.texts.join('\n'));
  const extensions = own.folder ?? cwd;
  const bundling = (): void => shell.say('Bundling the workflows (once) …');
  const version = await currentVersion(home, extensions, environment, variables, allowed(shell), bundling);
  const folder = workerFolder(home, version.buildId, queue);
  const isFit = ({ buildId, code, environment: keys }: WorkerRecord): boolean =>
    // Without a configuration nothing in the folder of extensions is needed, and any folder's worker will do.
    buildId === version.buildId || (own.folder === undefined && code === version.code && keys === version.environment);
  const found = liveWorkers(home)
    .filter(({ isReady, standsIn }) => isReady && !standsIn)
    .find((worker) => worker.address === queue.address && worker.namespace === namespace && isFit(worker));
  if (found !== undefined) {
    noteUse(workerFolder(home, found.buildId, queue));
    return found;
  }
  // The `up` would end by them as well, but only its log would say so.
  retentionDays(environment);
  logFormat(environment);
  readRates(environment['REPRISE_RATES'] ?? '');
  const isFirst = liveWorkers(home).length === 0;
  shell.say(isFirst ? 'Starting Temporal and a worker in the background …' : 'Starting a worker in the background …');
  try {
    const place = { cwd, env, home, folder, address, isNamed, namespace, extensions };
    return await startBackground({ ...place, variables, onProgress: say });
  } catch (error) {
    throw new CommandError(reasonOf(error), exitStatus.unreachable);
  }
}

/** Whose runs they are: `REPRISE_USER`, else the login name. */
function fairnessKey({ env }: Shell): string {
  const name = env['REPRISE_USER'] || loginName();
  // Temporal takes no longer ones.
  return Buffer.from(name)
    .subarray(0, 64)
    .toString()
    .replace(/\uFFFD+$/, '');
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, a user may have a number alone.
    return String(process.getuid?.() ?? '');
  }
}

/** Connects to a server, and starts nothing. @throws `CommandError`, status 3, where no Temporal server answers */
export async function openAt(
  shell: Shell,
  { address, namespace, isLocal }: Omit<Target, 'isNamed'>,
  holder?: ServerLease,
  buildId?: string,
): Promise<Opened> {
  const ours = holder?.address === address ? holder : undefined;
  try {
    // A server of our own that has died is started again by its daemon, and is worth waiting for.
    if (isLocal && ours === undefined && !(await isListening(address))) throw new Error('nothing listens there');
    const reprise = await connect({
      address,
      namespace,
      plain: ours !== undefined,
      home: homeFolder(shell),
      variables: shell.env,
      priority: { fairnessKey: fairnessKey(shell) },
      ...(buildId !== undefined && { buildId }),
      // It is known to be there, so that only a busy machine can keep it from answering.
      ...(ours && { connectTimeout: '30 seconds' }),
    });
    return { reprise, uiAddress: ours?.uiAddress, buildId };
  } catch (error) {
    if (error instanceof BadKeyError) throw error;
    throw new CommandError(
      `Temporal does not answer at ${address} (${reasonOf(error instanceof UnreachableError ? error.cause : error)}).\n` +
        'Name another address with --temporal or TEMPORAL_ADDRESS, or start one here: reprise up',
      exitStatus.unreachable,
    );
  }
}
