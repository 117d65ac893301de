/**
 * A process for one run of Python, which is told `ToPython` and tells `FromPython` until it is killed. Its main thread watches
 * what the thread of Python needs of memory, and ends the process with its parent. Argument: as JSON, a `PythonProcess`.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FromPython } from './reader.ts';
import type { PythonProcess, ToPython } from './run.ts';

/** What the thread of a process of Python starts with: texts and files by their names. */
export interface Interpreter {
  modules: Record<string, string>;
  parts: Record<string, Uint8Array<ArrayBuffer>>;
  lock: string;
  wheels: Record<string, Uint8Array>;
  snapshot?: Uint8Array<ArrayBuffer>;
}

/** The most memory that the process may have, and the most of it that is for JavaScript, in megabytes. */
const memoryMb = 1600;
const heapMb = 400;

const { pyodide, snapshot, wheels } = JSON.parse(process.argv[2] ?? '') as PythonProcess;

const end = (): boolean => process.kill(process.pid, 'SIGKILL');
process.once('disconnect', end);

const tell = (news: FromPython): unknown => process.send?.(news, () => 'end' in news && end());
const broken = (problem: string): unknown => tell({ end: 'broken', problem });

const text = (name: string): string => readFileSync(join(pyodide, name), 'utf8');
const workerData: Interpreter = {
  modules: Object.fromEntries(['pyodide.mjs', 'pyodide.asm.mjs'].map((name) => [name, text(name)])),
  parts: Object.fromEntries(
    ['pyodide.asm.wasm', 'python_stdlib.zip'].map((name) => [name, readFileSync(join(pyodide, name))]),
  ),
  lock: text('pyodide-lock.json'),
  wheels: Object.fromEntries(wheels.map((path) => [basename(path), readFileSync(path)])),
  ...(snapshot !== undefined && { snapshot: readFileSync(snapshot) }),
};
const thread = new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url), {
  workerData,
  // What is moved need not be copied: 44 MB. A small file, which a damaged snapshot may be, shares its memory with others.
  transferList: [...Object.values(workerData.parts), workerData.snapshot ?? []]
    .flat()
    .filter(({ buffer, byteLength }) => byteLength === buffer.byteLength)
    .map(({ buffer }) => buffer),
  env: {},
  execArgv: [
    '--permission',
    `--allow-fs-read=${dirname(fileURLToPath(import.meta.url))}/*`,
    '--experimental-vm-modules',
    '--no-warnings',
  ],
  resourceLimits: { maxOldGenerationSizeMb: heapMb },
});
thread.on('message', tell);
thread.on('error', (error: NodeJS.ErrnoException) => {
  const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  broken(isMemory ? `it was ended at ${heapMb} MB of objects` : `Python could not be run: ${error.message}`);
});
thread.on('exit', () => broken('Python ended by itself'));
setInterval(() => {
  if (process.memoryUsage.rss() > memoryMb * 1_000_000) broken(`it was ended at ${memoryMb} MB of memory`);
}, 20);

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
process.on('message', (message: ToPython) => thread.postMessage(message));
