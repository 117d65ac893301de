import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { statfs } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Output } from '../../util/output.ts';

/** How many bytes a command may print before it is ended. */
const mostBytes = 20_000_000;

export interface ProcessOrder {
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  timeout: number;
  signal: AbortSignal;
  control: (child: ChildProcess) => ProcessControl;
  onOutput: (output: Output) => void;
}

interface ProcessControl {
  /** Ends it with all that it has started. Is called once, also after it has ended by itself. */
  end: () => Promise<void>;
  /** Why it has to end, such as the memory that it takes. Is called again and again. */
  trouble: () => Promise<string | undefined>;
}

export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** What it has printed to both streams, in the order in which it arrived. */
  output: string;
  /** What it has printed to standard error alone, without its beginning if it is long. */
  errors: string;
  /** Why it was ended; undefined if it has ended by itself. */
  ended: string | undefined;
}

/**
 * Runs a program to its end, in a group of its own, with nothing to read but a pipe that stays open for as long as this
 * process lives.
 *
 * @throws `Error` if it cannot be started; the signal's reason if that is aborted, once the program has ended
 */
export async function runProcess(order: ProcessOrder): Promise<ProcessEnd> {
  const { args, control, cwd, env, file, onOutput, signal, timeout } = order;
  signal.throwIfAborted();
  const child = spawn(file, args, { cwd, env, stdio: 'pipe', detached: true });
  const { end, trouble } = control(child);
  // The program need not read.
  child.stdin.on('error', () => {});
  const { promise: reason, resolve: stop } = Promise.withResolvers<string | undefined>();
  const output = new Output();
  const errors = new Output();
  const take = (stream: 'stdout' | 'stderr', part: Buffer): void => {
    // What comes after the limit was reached would only fill the memory.
    if (output.bytes > mostBytes) return;
    output.add(stream, part);
    if (stream === 'stderr') errors.add(stream, part);
    onOutput(output);
    if (output.bytes > mostBytes) stop(`it had printed more than ${mostBytes / 1_000_000} MB`);
  };
  child.stdout.on('data', (part: Buffer) => take('stdout', part));
  child.stderr.on('data', (part: Buffer) => take('stderr', part));
  const over = new AbortController();
  const timer = setTimeout(() => stop(`it had run for ${timeout} seconds`), timeout * 1000);
  const abort = (): void => stop(undefined);
  signal.addEventListener('abort', abort, { once: true });
  const closed = once(child, 'close');
  closed.catch(() => {});
  try {
    // It rejects if the program cannot be started.
    const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    void watch(trouble, over.signal).then(stop, () => {});
    const ended = await Promise.race([exited.then(() => undefined), reason]);
    await end();
    const [code, killed] = await exited;
    // What it has printed arrives until then. Whatever holds the pipes has been ended too, as far as it could be found.
    await Promise.race([closed, pause(2000, undefined, { ref: false })]);
    signal.throwIfAborted();
    return { code, signal: killed, output: output.text(), errors: errors.tail(2000), ended };
  } finally {
    over.abort();
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }
}

async function watch(trouble: ProcessControl['trouble'], over: AbortSignal): Promise<string> {
  for (;;) {
    await pause(250, undefined, { signal: over });
    const found = await trouble();
    if (found !== undefined) return found;
  }
}

/** What a command may take. Memory and sizes are in bytes. */
export const commandLimits = {
  /** All processes together, and their memory. */
  processes: 256,
  memory: 2_147_483_648,
  /** How many processors, where the engine can share them. */
  cpus: 2,
  /** One file, which need not be kept, and all temporary files in a container. */
  file: 1_073_741_824,
  temporary: 536_870_912,
  /** In `/dev/shm` of a container, where programs keep what their processes share. */
  shared: 67_108_864,
  openFiles: 4096,
};

/** How much space a disk must have left for a command to go on, in bytes. */
const leastSpace = 500_000_000;

/** Why a command has to end, since the disk of its folder is almost full; undefined if it is not. */
export async function diskTrouble(folder: string): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < leastSpace ? `the disk had less than ${leastSpace / 1_000_000} MB left` : undefined;
}
