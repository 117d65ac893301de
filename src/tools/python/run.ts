import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execute, sendSignal } from '../../util/processes.ts';
import { Semaphore } from '../../util/semaphore.ts';
import type { PythonProcess } from './process.ts';
import { FromPythonReader, type PythonResult } from './reader.ts';
import { forgetSnapshot, pyodideFolder, saveSnapshot, snapshotFile } from './snapshot.ts';

/** A file that the code finds. `readOnly` is only a word of advice to it. */
export interface GivenFile {
  path: string;
  bytes: Uint8Array;
  mode: 'file' | 'executable' | 'readOnly';
}

/** What a process of Python is told, which answers with `FromPython`: files, as often as wanted, then what it runs. */
export type ToPython = { files: GivenFile[] } | { code: string };

interface PythonRun {
  code: string;
  /** How long it may run, in seconds, once Python is loaded. */
  seconds: number;
  /** The files of the folder in which it runs, in batches. */
  files: () => AsyncIterable<GivenFile[]>;
  /** The paths of wheels from which it may import. */
  wheels: string[];
}

/** How many processes there are at the same time, since each takes a processor and 170 MB or more. */
const interpreters = new Semaphore(Math.max(2, availableParallelism()));

/**
 * Runs code in a process of its own, which ends with it, with the signal, and with this process. It waits while others run.
 *
 * @throws the signal's reason when it is aborted
 */
export const runPython = (run: PythonRun, signal: AbortSignal): Promise<PythonResult> =>
  interpreters.run(() => runHere(run, signal), signal);

async function runHere(run: PythonRun, signal: AbortSignal): Promise<PythonResult> {
  const snapshot = snapshotFile();
  const reader = await runOnce(run, snapshot, signal);
  // One that does not fit is told of; a process that has only gone was ended by somebody.
  const fits = reader.hasBegun || !reader.isOver;
  if (snapshot === undefined || fits) return reader.result();
  await forgetSnapshot();
  return (await runOnce(run, undefined, signal)).result();
}

async function runOnce(run: PythonRun, snapshot: string | undefined, signal: AbortSignal): Promise<FromPythonReader> {
  const { child, end } = await startPython(run.wheels, snapshot);
  const reader = new FromPythonReader();
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const late = (): void => resolve(reader.fail(`it was ended after ${run.seconds} seconds`));
  child.on('message', (message) => {
    const taken = reader.take(message);
    if (taken !== undefined) void saveSnapshot(taken);
    if (reader.isOver) resolve();
    else if (reader.hasBegun) timer ??= setTimeout(late, run.seconds * 1000);
  });
  child.on('error', () => resolve());
  // This comes after the last message, while `exit` may come before it.
  child.on('disconnect', () => resolve());
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort);
  try {
    signal.throwIfAborted();
    await Promise.race([give(child, run).then(() => ended), ended]);
    return reader;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    await end();
  }
}

async function give(child: ChildProcess, { code, files }: PythonRun): Promise<void> {
  for await (const batch of files()) await send(child, { files: batch });
  await send(child, { code });
}

/** Settles once a message is on its way; a child that has gone is noticed otherwise. */
async function send(child: ChildProcess, message: ToPython): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (!child.connected) return;
  child.send(message, () => resolve());
  await promise;
}

const program = fileURLToPath(new URL(`./process${extname(import.meta.url)}`, import.meta.url));

/** The most memory that Python may have, in megabytes. */
const pythonMb = 1024;

/** How much processor time a process may use before the system ends it, in seconds, whoever has forgotten it. */
const cpuSeconds = 1200;

const isWindows = process.platform === 'win32';

/**
 * Starts a process for one run of Python: with rights to read what it consists of and no others
 * (https://nodejs.org/api/permissions.html), an empty environment, an empty folder, and limits of the system where there are
 * some. Where Linux lets one, it has no network either, which Node's permissions do not say anything about.
 *
 * @returns it, and what ends it at once, with all that it may have started
 */
async function startPython(wheels: string[], snapshot: string | undefined) {
  const settings: PythonProcess = {
    pyodide: pyodideFolder,
    heapMb: 400,
    memoryMb: 1600,
    wheels,
    ...(snapshot !== undefined && { snapshot }),
  };
  const readable = [`${dirname(program)}/*`, `${pyodideFolder}/*`, ...wheels, snapshot ?? []].flat();
  const pageKb = 64;
  const node = [
    process.execPath,
    '--permission',
    '--allow-worker',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    '--disallow-code-generation-from-strings',
    `--wasm-max-mem-pages=${(pythonMb * 1024) / pageKb}`,
    // A function of Python is optimized after four times as much use as by default: most programs end before that pays.
    '--wasm-tiering-budget=50000000',
    '--max-old-space-size=200',
    '--no-warnings',
    program,
    JSON.stringify(settings),
  ];
  const [command = '', ...args] = [...(await limits()), ...node];
  const folder = await mkdtemp(join(tmpdir(), 'reprise-python-'));
  const child = spawn(command, args, {
    cwd: folder,
    env: { TZ: 'UTC' },
    // A group of its own can be ended as a whole, and does not get what is typed to the worker.
    detached: !isWindows,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  const end = async (): Promise<void> => {
    const { exitCode, pid, signalCode } = child;
    if (pid !== undefined && exitCode === null && signalCode === null) sendSignal(isWindows ? pid : -pid, 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  return { child, end };
}

let unshared: ReturnType<typeof execute> | undefined;

/** The command that gives the limits of the system to the one after it. */
async function limits(): Promise<string[]> {
  if (isWindows) return [];
  const shell = ['/bin/sh', '-c', `ulimit -c 0; ulimit -f 0; ulimit -t ${cpuSeconds}; exec "$0" "$@"`];
  const apart = ['/usr/bin/unshare', '--map-root-user', '--net'];
  const { code } = await (unshared ??= execute([...apart, '/bin/true'], {}));
  return code === 0 ? [...shell, ...apart] : shell;
}
