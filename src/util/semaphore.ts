/** Lets only so many pieces of work be under way at the same time; the others wait, in the order in which they asked. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(permits: number) {
    this.#free = permits;
  }

  /** Waits for a permit. @returns what gives it back @throws the signal's reason when it is aborted before */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#next(signal);
    return () => {
      // The permit goes on to whoever has waited longest, without being free in between.
      const [first] = this.#waiting;
      if (first === undefined) this.#free += 1;
      else {
        this.#waiting.delete(first);
        first();
      }
    };
  }

  /** @throws what the work throws; the signal's reason if it is aborted before the work begins */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const release = await this.acquire(signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  async #next(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = (): void => {
      this.#waiting.delete(resolve);
      reject(signal.reason as Error);
    };
    this.#waiting.add(resolve);
    signal.addEventListener('abort', abort);
    return promise.finally(() => signal.removeEventListener('abort', abort));
  }
}
