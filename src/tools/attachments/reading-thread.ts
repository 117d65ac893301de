import { Worker } from 'node:worker_threads';

/** The memory of a thread's own objects, in megabytes. Bytes that it unpacks do not count, and have limits of their own. */
const memoryMb = 1024;

/** How long an answer may take, in milliseconds. */
const patienceMs = 60_000;

/**
 * A thread that reads a file which may be large, damaged or made to harm: what becomes of it, the worker's process goes on,
 * and is not held up.
 */
export class ReadingThread {
  readonly #worker: Worker;
  readonly #gone: Promise<never>;

  /** @param data what it gets as `workerData` */
  constructor(program: URL, data: unknown) {
    const worker = new Worker(program, {
      workerData: data,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      stdout: true,
      stderr: true,
    });
    // What a library prints about a file is none of the worker's messages.
    worker.stdout.resume();
    worker.stderr.resume();
    this.#worker = worker;
    this.#gone = new Promise((_, reject) => {
      worker.once('error', (error: NodeJS.ErrnoException) => reject(new Error(reasonOf(error), { cause: error })));
      worker.once('exit', () => reject(new Error('reading it ended without a result')));
    });
    // It ends unasked as well.
    this.#gone.catch(() => {});
  }

  /** Sends a question, and waits for the answer. @throws `Error` if there is none in time, and says why */
  async ask<Answer>(question: unknown): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const timer = setTimeout(() => reject(new Error(`reading it took over ${patienceMs / 1000} seconds`)), patienceMs);
    this.#worker.once('message', resolve);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    this.#worker.postMessage(question);
    try {
      return await Promise.race([promise, this.#gone]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
  code === 'ERR_WORKER_OUT_OF_MEMORY' ? `reading it took over ${memoryMb} MB of memory` : message;
