import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor, type ConnectionOptions } from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/**
 * Makes requests again as Temporal's client does by itself, and none once the connection is to be closed: one that is made again on
 * a closed connection throws where nobody can catch it, and ends the process.
 */
export class Retries {
  readonly #usual = defaultGrpcRetryOptions();
  #isOver = false;
  /** How many requests wait to be made again. They are counted, since timers come in another order on a machine that stalls. */
  #waiting = 0;
  #none = Promise.withResolvers<void>();

  readonly #again = makeGrpcRetryInterceptor({
    retryableDecider: (attempt, status) => !this.#isOver && this.#usual.retryableDecider(attempt, status),
    delayFunction: (attempt, status) => {
      this.#waiting += 1;
      return this.#usual.delayFunction(attempt, status);
    },
  });

  readonly interceptor: Interceptor = (options, nextCall) => {
    let attempt = 0;
    return this.#again(options, (made) => {
      if (attempt > 0) this.#waiting -= 1;
      attempt += 1;
      if (this.#isOver && this.#waiting === 0) this.#none.resolve();
      return nextCall(made);
    });
  };

  /** Waits until those that wait have been made again; no others are from now on. */
  async end(): Promise<void> {
    this.#isOver = true;
    if (this.#waiting > 0) await this.#none.promise;
  }
}
