import type { Context } from '@temporalio/activity';
import type { ModelProgress } from '../protocol/model-call.ts';

/** Cancellation reaches an activity only with its heartbeats, and the live view reads them. */
const interval = 500;

/** How much of the text in progress a heartbeat shows. */
const shown = 4000;

/** Heartbeats what a model has written so far, twice a second, also while it is silent. */
export class Progress {
  #text = '';
  #characters = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(context: Context) {
    this.#timer = setInterval(() => context.heartbeat(this.#snapshot()), interval);
  }

  /** Characters written so far. */
  get characters(): number {
    return this.#characters;
  }

  add(delta: string): void {
    this.#characters += delta.length;
    this.#text = (this.#text + delta).slice(-shown);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #snapshot(): ModelProgress {
    return { partial: this.#text, characters: this.#characters };
  }
}
