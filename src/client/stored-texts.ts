import { setTimeout as pause } from 'node:timers/promises';
import { readEnvironment } from '../util/environment.ts';
import type { LivePiece, LiveTexts, Store } from '../store/store.ts';

export interface StorePlace {
  /** The home folder of the run's worker, whose store has the texts in progress in whole; absent: none. */
  home?: string;
  /** Variables by name in place of `process.env`: they say where that store is, and how it is encrypted. */
  variables?: NodeJS.ProcessEnv;
}

/** How long a store has for its answer, since the events of a run wait for it, and for how long it is left alone otherwise, in milliseconds. */
const timeoutMs = 1000;
const restMs = 5000;

/** The texts in progress of a store: none where it is not there or cannot be read, since they are for looking on alone. */
export class StoredTexts implements Pick<LiveTexts, 'read'> {
  readonly #place: StorePlace;
  #store: Store | undefined;
  #restsUntil = 0;

  constructor(place: StorePlace) {
    this.#place = place;
  }

  async read(...where: Parameters<LiveTexts['read']>): Promise<LivePiece[]> {
    const { home, variables = process.env } = this.#place;
    if (home === undefined || Date.now() < this.#restsUntil) return [];
    try {
      const { readStore } = await import('../store/open-store.ts');
      this.#store ??= readStore(home, readEnvironment(variables));
      const late = () => Promise.reject(new Error('late'));
      if (this.#store !== undefined)
        return await Promise.race([
          this.#store.liveTexts.read(...where),
          pause(timeoutMs, undefined, { ref: false }).then(late),
        ]);
    } catch {
      void this.close();
    }
    this.#restsUntil = Date.now() + restMs;
    return [];
  }

  async close(): Promise<void> {
    // A reading that is under way must not open it again.
    this.#restsUntil = Infinity;
    const store = this.#store;
    this.#store = undefined;
    await store?.close().catch(() => {});
  }
}
