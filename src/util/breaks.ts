import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may hold up the process at a stretch, in milliseconds. */
const stretch = 20;

/**
 * Gives long work breaks in which everything else gets its turn, such as heartbeats: `await breaks.take()` whenever
 * `breaks.due`, which is true once 20 ms have passed since the last one.
 */
export class Breaks {
  #since = performance.now();

  get due(): boolean {
    return performance.now() - this.#since >= stretch;
  }

  async take(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
