/** Lets only so many pieces of work be under way at the same time; the others wait for their turn. */
export class Places {
  #free: number;
  readonly #waiting: Array<() => void> = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** @throws what the work throws; the signal's reason if it is aborted before the work begins */
  async take<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      // The place goes on to whoever has waited longest, without being free in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
