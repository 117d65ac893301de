import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may hold up the process at a stretch, in milliseconds. */
const stretchMs = 20;

/** Lets long work yield to everything else, such as heartbeats: `await yielder.yield()` whenever `yielder.due`. */
export class Yielder {
  #since = performance.now();

  get due(): boolean {
    return performance.now() - this.#since >= stretchMs;
  }

  async yield(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}
