import { setTimeout as pause } from 'node:timers/promises';
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

/**
 * Makes requests again as Temporal's client does by itself, and none once the connection is to be closed: one that is made again on
 * a closed connection throws where nobody can catch it, and ends the process.
 */
export class Retries {
  readonly #usual = defaultGrpcRetryOptions();
  #isOver = false;
  /** When the last of those that wait is made again, in milliseconds. */
  #last = 0;

  readonly interceptor = makeGrpcRetryInterceptor({
    retryableDecider: (attempt, status) => !this.#isOver && this.#usual.retryableDecider(attempt, status),
    delayFunction: (attempt, status) => {
      const delay = this.#usual.delayFunction(attempt, status);
      this.#last = Math.max(this.#last, performance.now() + delay);
      return delay;
    },
  });

  /** Waits until those that wait have been made again; no others are from now on. */
  async end(): Promise<void> {
    this.#isOver = true;
    const left = this.#last - performance.now();
    // A timer may fire in the same turn of the event loop.
    if (left > 0) await pause(left + 10);
  }
}
