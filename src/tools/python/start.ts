import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execute, sendSignal } from '../../util/processes.ts';
import type { PythonProcess } from './process.ts';
import { pyodideFolder } from './snapshot.ts';

const program = fileURLToPath(new URL(`./process${extname(import.meta.url)}`, import.meta.url));

/** The most memory that Python may have, that all of its process may, and how much of it JavaScript's objects may. */
const pythonLimits = { pythonMb: 1024, memoryMb: 1600, heapMb: 400 };

/** How much processor time a process may use before the system ends it, in seconds, whoever has forgotten it. */
const cpuSeconds = 1200;

/** A process of Python. */
interface PythonChild {
  child: ChildProcess;
  /** Ends it at once, with all that it may have started. */
  end: () => Promise<void>;
}

/**
 * Starts a process for one run of Python: with rights to read what it consists of and no others
 * (https://nodejs.org/api/permissions.html), an empty environment, an empty folder, and limits of the system where there are
 * some. Where Linux lets one, it has no network either, which Node's permissions do not say anything about.
 */
export async function startPython(given: Pick<PythonProcess, 'wheels' | 'snapshot'>): Promise<PythonChild> {
  const { heapMb, memoryMb, pythonMb } = pythonLimits;
  const settings: PythonProcess = { pyodide: pyodideFolder, heapMb, memoryMb, ...given };
  const readable = [`${dirname(program)}/*`, `${pyodideFolder}/*`, ...given.wheels, given.snapshot ?? []].flat();
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

const isWindows = process.platform === 'win32';

/** The command that gives the limits of the system to the one after it. */
async function limits(): Promise<string[]> {
  if (isWindows) return [];
  const shell = ['/bin/sh', '-c', `ulimit -c 0; ulimit -f 0; ulimit -t ${cpuSeconds}; exec "$0" "$@"`];
  const apart = ['/usr/bin/unshare', '--map-root-user', '--net'];
  const { code } = await (unshared ??= execute([...apart, '/bin/true'], {}));
  return code === 0 ? [...shell, ...apart] : shell;
}

let unshared: ReturnType<typeof execute> | undefined;
