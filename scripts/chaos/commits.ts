import { setTimeout as pause } from 'node:timers/promises';
import type { TestedStore } from './store.ts';
import type { Commit } from './verdict.ts';

const pollIntervalMs = 250;

/** Looks into the store all the time, and notes when a reply is first seen there. */
export class CommitWatch {
  readonly commits: Commit[] = [];
  readonly #store: TestedStore;
  readonly #known = new Set<string>();
  #isOver = false;
  #ended: Promise<void> | undefined;

  constructor(store: TestedStore) {
    this.#store = store;
  }

  begin(): void {
    this.#ended = (async () => {
      while (!this.#isOver) {
        // A store that is locked, or away, or not made yet, is looked at again.
        await this.#look().catch(() => {});
        await pause(pollIntervalMs);
      }
    })();
  }

  /** Looks for the last time. @throws what the store throws */
  async end(): Promise<Commit[]> {
    this.#isOver = true;
    await this.#ended;
    await this.#look();
    return this.commits;
  }

  async #look(): Promise<void> {
    for (const { key, result } of await this.#store.replies(this.#known)) {
      this.#known.add(key);
      const reply = /\[reply (\d+)/.exec(result)?.[1];
      if (reply !== undefined) this.commits.push({ reply: Number(reply), seen: Date.now() });
    }
  }
}
