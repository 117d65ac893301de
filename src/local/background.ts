import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endDaemon } from './home-server.ts';
import { isHeld } from './lock.ts';
import { startModule } from './start-module.ts';
import { endProcess, isAlive, processes } from '../util/processes.ts';
import { liveWorkers, readWorker, type WorkerRecord } from './workers.ts';

interface BackgroundSettings {
  cwd: string;
  /** The variables of the `up`, but for those that say where it belongs. */
  env: NodeJS.ProcessEnv;
  home: string;
  folder: string;
  address: string;
  isNamed: boolean;
  namespace: string;
  extensions: string;
  /** The variables that the worker's version depends on besides those that are always read. */
  variables: string[];
  /** Is told what the new `up` prints while it starts; it may have to fetch the Temporal CLI first. */
  onProgress: (text: string) => void;
}

/** How much a process that mostly waits takes for short-lived objects: V8's own measure costs 90 MB more. */
const youngSpace = '--max-semi-space-size=8';

/**
 * Starts an `up` that outlives this process, and waits until its worker polls. Of several commands, one starts it.
 *
 * @throws where the `up` ends before its worker polls, with the end of its log
 */
export async function startBackground(settings: BackgroundSettings): Promise<WorkerRecord> {
  const { cwd, env, home, folder, address, isNamed, namespace, extensions, variables, onProgress } = settings;
  const log = join(home, 'logs', 'up.log');
  const begin = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  let read = begin;
  const words = ['up', '--background', '--temporal', address, '--extensions', extensions];
  if (!isNamed) words.push('--unnamed');
  const child = startModule('cli/main', [...words, ...variables.flatMap((name) => ['--variable', name])], {
    log,
    nodeOptions: [youngSpace],
    detached: true,
    cwd,
    env: { ...env, REPRISE_HOME: home, TEMPORAL_NAMESPACE: namespace },
  });
  child.unref();
  let status: number | NodeJS.Signals | undefined;
  let endedAt = 0;
  child.once('exit', (code, signal) => {
    status = code ?? signal ?? undefined;
    endedAt = Date.now();
  });
  for (;;) {
    const said = readFileSync(log);
    // It may have become full, and been emptied. A line that is still being written is told when it is whole.
    const end = said.lastIndexOf('\n') + 1;
    const progress = progressIn(said.subarray(said.length < read ? 0 : read, end).toString());
    read = end;
    if (progress !== '') onProgress(progress);
    const worker = readWorker(folder);
    if (worker?.isReady && !worker.standsIn && isAlive(worker.pid) && isHeld(folder)) return worker;
    // An `up` ends with status 0 where another command's was quicker, which is then waited for.
    const isAlone = status === 0 && Date.now() - endedAt > timeoutMs && !isHeld(folder);
    if (isAlone || (status !== undefined && status !== 0))
      throw new Error(
        `The background worker did not start (its process ended: ${status}):\n${tail(said.length < begin ? said : said.subarray(begin))}`,
      );
    await pause(50);
  }
}

/** Of what is new in the log, without warnings, which may be about others' runs, and without the end of an older `up`. */
export const progressIn = (added: string): string =>
  added
    .split('\n')
    .filter((line) => !/^(WARN|ERROR) |^\{"time":"[^"]*","level":"(WARN|ERROR)"|: ending("\})?$/.test(line))
    .join('\n')
    .trim();

/** How long another command's `up` may be without a sign of life, in milliseconds: on a busy machine a process begins slowly. */
const timeoutMs = 60_000;

const isUp = (pid: number): boolean =>
  processes().some((each) => each.pid === pid && / up( |$)/.test(each.commandLine));

/** Asks an `up` to let its calls in flight finish, to leave its runs to the next `up`, and to end. */
export function askToHandOver({ pid }: WorkerRecord): void {
  if (isUp(pid)) process.kill(pid, 'SIGUSR2');
}

/** Ends every `up` of a folder, in the background or not, its daemon and its server. @returns whether there was one of them */
export async function stopUp(home: string): Promise<boolean> {
  if (!existsSync(home)) return false;
  const pids = new Set(liveWorkers(home).map(({ pid }) => pid));
  const running = [...pids].filter(isUp);
  await Promise.all(running.map(endProcess));
  const left = await endDaemon(home);
  return running.length > 0 || left;
}

const tail = (said: Buffer): string => said.toString().trimEnd().split('\n').slice(-8).join('\n');
