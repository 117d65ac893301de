import type { Environment } from '../util/environment.ts';
import { readStore } from './open-store.ts';
import { isOutOfOrder } from './out-of-order.ts';
import type { Store } from './store.ts';

/** Reads texts of a store for somebody who does without them where there are none. */
export class Blobs {
  #store: Store | undefined;

  constructor(home: string, environment: Environment) {
    try {
      this.#store = readStore(home, environment);
    } catch {
      // What cannot be opened has nothing to read.
    }
  }

  /** @returns undefined for one that the store does not have, and for all once it could not be reached */
  async read(id: string): Promise<string | undefined> {
    try {
      return await this.#store?.blob(id);
    } catch (error) {
      // Each further one would wait as long.
      if (isOutOfOrder(error)) await this.close();
      return undefined;
    }
  }

  async close(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    await store?.close();
  }
}
