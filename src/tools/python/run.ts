import type { ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { FromPythonReader, type PythonResult } from './reader.ts';
import type { GivenFile, ToPython } from './messages.ts';
import { forgetSnapshot, saveSnapshot, snapshotFile } from './snapshot.ts';
import { startPython } from './start.ts';
import { Semaphore } from '../../util/semaphore.ts';

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
  const snapshot = await snapshotFile();
  const reader = await runOnce(run, snapshot, signal);
  // One that does not fit is told of; a process that has only gone was ended by somebody.
  const fits = reader.hasBegun || !reader.isOver;
  if (snapshot === undefined || fits) return reader.result();
  await forgetSnapshot();
  return (await runOnce(run, undefined, signal)).result();
}

async function runOnce(run: PythonRun, snapshot: string | undefined, signal: AbortSignal): Promise<FromPythonReader> {
  const { child, end } = await startPython({ wheels: run.wheels, ...(snapshot !== undefined && { snapshot }) });
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

/** Sends a message. Settles once it is on its way; a child that has gone is noticed otherwise. */
async function send(child: ChildProcess, message: ToPython): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (!child.connected) return;
  child.send(message, () => resolve());
  await promise;
}
