import { fork, type ChildProcess } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { compiledFolder } from './folders.ts';

export interface Isolation<Message = never> {
  /** What is under way, as messages begin with it: `reading it`. */
  what: string;
  /** The memory of a thread's own objects, in megabytes. Bytes that it unpacks do not count. Of a process it is all memory. */
  memoryMb: number;
  /** How long it may take, in milliseconds; absent: until the signal. */
  timeoutMs?: number;
  signal?: AbortSignal;
  onMessage?: (message: Message) => void;
  /** Whether a process of its own is needed, which gets nothing else: for what cannot be interrupted in a thread. */
  inProcess?: boolean;
}

export interface IsolatedWork extends Pick<Isolation, 'what' | 'memoryMb'> {
  program: string;
  data: unknown;
}

/** What isolated work says. Nothing comes after a result or a problem. */
export type Said = { message: unknown } | { result: unknown } | { problem: string };

/**
 * Has a module work on what may be large, damaged or made to harm, in a thread of its own: what becomes of that, this process goes
 * on, and is not held up.
 *
 * @param program the module, whose default function is given the data, and a function that passes on messages
 * @returns what that function returns
 * @throws `Error` that says why there is no result: what it has thrown, or which limit has ended it; the signal's reason
 */
export async function runIsolated<Result, Message = never>(
  program: URL,
  data: unknown,
  { inProcess = false, memoryMb, onMessage, signal, timeoutMs, what }: Isolation<Message>,
): Promise<Result> {
  signal?.throwIfAborted();
  const work = { program: program.href, data, what, memoryMb };
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const { end, lastEvent, runner } = inProcess ? startProcess(work) : startThread(work);
  runner.on('message', (said: Said) => {
    if ('message' in said) onMessage?.(said.message as Message);
    else if ('result' in said) resolve(said.result as Result);
    else reject(new Error(said.problem));
  });
  runner.on('error', (error: NodeJS.ErrnoException) =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new Error(endedAt(what, memoryMb)) : error),
  );
  runner.on(lastEvent, () => reject(new Error(`${what} ended without a result`)));
  const late = (): void => reject(new Error(`${what} was ended after ${(timeoutMs ?? 0) / 1000} seconds`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  const abort = (): void => reject(signal?.reason as Error);
  signal?.addEventListener('abort', abort);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    await end();
  }
}

interface Running {
  runner: NodeJS.EventEmitter;
  /** Comes after the last message. */
  lastEvent: string;
  end: () => unknown;
}

/** A module beside another one, whether that is TypeScript or was compiled. @param of the address of the other one */
export const moduleBeside = (of: string, name: string): URL => new URL(`./${name}${extname(of)}`, of);

function startThread(work: IsolatedWork): Running {
  const runner = new Worker(moduleBeside(import.meta.url, 'isolated-thread'), {
    workerData: work,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: work.memoryMb },
    stdout: true,
    stderr: true,
  });
  // What a library prints about a file is none of the worker's messages.
  runner.stdout.resume();
  runner.stderr.resume();
  return { runner, lastEvent: 'exit', end: () => runner.terminate() };
}

function startProcess(work: IsolatedWork): Running {
  // Compiling again what this one has compiled would take half of a short work's time.
  const compiled = compiledFolder();
  const runner: ChildProcess = fork(fileURLToPath(moduleBeside(import.meta.url, 'isolated-process')), {
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  runner.send(work);
  // The event `exit` may come before the last message.
  return { runner, lastEvent: 'disconnect', end: () => runner.kill('SIGKILL') };
}

export const endedAt = (what: string, memoryMb: number): string => `${what} was ended at ${memoryMb} MB of memory`;
