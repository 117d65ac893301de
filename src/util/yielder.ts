import { setImmediate as nextTurn } from 'node:timers/promises';

/** Lets long work yield to everything else, such as heartbeats: `await yielder.yield()` whenever `yielder.due`. */
export class Yielder {
  #since = performance.now();

  /** Whether the process was held up for 20 ms. */
  get due(): boolean {
    return performance.now() - this.#since >= 20;
  }

  async yield(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
