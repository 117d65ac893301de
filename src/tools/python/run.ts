import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../../util/folders.ts';
import { execute, sendSignal } from '../../util/processes.ts';
import { Semaphore } from '../../util/semaphore.ts';
import { FromPythonReader, type PythonResult } from './reader.ts';

/** A file that the code finds. `readOnly` is only a word of advice to it. */
export interface GivenFile {
  path: string;
  bytes: Uint8Array;
  mode: 'file' | 'executable' | 'readOnly';
}

/** What a process of Python is told, which answers with `FromPython`: files, as often as wanted, then what it runs. */
export type ToPython = { files: GivenFile[] } | { code: string };

export interface PythonProcess {
  pyodide: string;
  wheels: string[];
  /** The file with the memory of a loaded interpreter. */
  snapshot?: string;
}

interface PythonRun {
  code: string;
  /** How long it may run, in seconds, once Python is loaded. */
  seconds: number;
  files: () => AsyncIterable<GivenFile[]>;
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

const require = createRequire(import.meta.url);

export const pyodideFolder = dirname(require.resolve('pyodide/package.json'));

const program = fileURLToPath(new URL(`./process${extname(import.meta.url)}`, import.meta.url));

const isWindows = process.platform === 'win32';

/**
 * Starts a process for one run of Python: with rights to read what it consists of and no others
 * (https://nodejs.org/api/permissions.html), an empty environment, an empty folder, and limits of the system where there are
 * some. Where Linux lets one, it has no network either, which Node's permissions do not say anything about.
 */
async function startPython(wheels: string[], snapshot: string | undefined) {
  const settings: PythonProcess = { pyodide: pyodideFolder, wheels, ...(snapshot !== undefined && { snapshot }) };
  const readable = [`${dirname(program)}/*`, `${pyodideFolder}/*`, ...wheels, snapshot ?? []].flat();
  const node = [
    process.execPath,
    '--permission',
    '--allow-worker',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    '--disallow-code-generation-from-strings',
    // A page has 64 KB: 1 GB.
    '--wasm-max-mem-pages=16384',
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
  /** Ends it at once, with all that it may have started. */
  const end = async (): Promise<void> => {
    const { exitCode, pid, signalCode } = child;
    if (pid !== undefined && exitCode === null && signalCode === null) sendSignal(isWindows ? pid : -pid, 'SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  return { child, end };
}

let unshared: ReturnType<typeof execute> | undefined;

async function limits(): Promise<string[]> {
  if (isWindows) return [];
  // The system ends a process after 1200 seconds of processor time, whoever has forgotten it.
  const shell = ['/bin/sh', '-c', 'ulimit -c 0; ulimit -f 0; ulimit -t 1200; exec "$0" "$@"'];
  const apart = ['/usr/bin/unshare', '--map-root-user', '--net'];
  const { code } = await (unshared ??= execute([...apart, '/bin/true'], {}));
  return code === 0 ? [...shell, ...apart] : shell;
}

/**
 * Where the memory of an interpreter is that had just been loaded, with which the next one starts in a quarter of the time.
 * It fits one version of Pyodide, and depends on what WebAssembly can do in this version of Node.
 */
function snapshotPlace(): string {
  const { version } = require('pyodide/package.json') as { version: string };
  return join(cacheFolder(), `python-${version}-node-${process.versions.node}.snapshot`);
}

const snapshotFile = (): string | undefined => (existsSync(snapshotPlace()) ? snapshotPlace() : undefined);

/** Keeps it for the next runs, of all processes of this user. Without it they only take longer to start. */
async function saveSnapshot(bytes: Uint8Array): Promise<void> {
  const path = snapshotPlace();
  // Two runs of this process may save theirs at the same time.
  const part = `${path}.${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(part, bytes, { mode: 0o600 });
    await rename(part, path);
  } catch {
    await rm(part, { force: true }).catch(() => {});
  }
}

const forgetSnapshot = async (): Promise<void> => rm(snapshotPlace(), { force: true }).catch(() => {});
