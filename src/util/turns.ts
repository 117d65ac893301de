/** Lets so many of those who ask for a turn have one at the same time, in the order in which they asked. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(most: number) {
    this.#free = most;
  }

  /** Waits for a turn. @returns what ends it @throws the signal's reason when it is aborted before */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#next(signal);
    return () => {
      const [first] = this.#waiting;
      if (first === undefined) this.#free += 1;
      else first();
    };
  }

  async #next(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      this.#waiting.delete(begin);
      signal.removeEventListener('abort', abort);
    };
    const begin = (): void => {
      leave();
      resolve();
    };
    const abort = (): void => {
      leave();
      reject(signal.reason as Error);
    };
    this.#waiting.add(begin);
    signal.addEventListener('abort', abort);
    return promise;
  }
}
