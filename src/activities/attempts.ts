import type { Context } from '@temporalio/activity';
import { sendHeartbeats } from './cancellable.ts';

/** How long the work goes on for the next attempt, in milliseconds. After a standstill that comes within some 30 s. */
const graceMs = 60_000;

interface Work<Result> {
  result: Promise<Result>;
  gone: AbortController;
  /** How many attempts wait for it. */
  waiting: number;
}

/**
 * Lets the attempts of a call that meet in this process share its work. A laptop that was closed for a moment has sent no
 * heartbeats: when it goes on, Temporal has every call that was under way made again, though it is still under way.
 */
export class Attempts<Result> {
  readonly #works = new Map<string, Work<Result>>();

  /**
   * @param key the same for all attempts of a call
   * @param begin its signal aborts, for the reason of the attempt that was cancelled last, when no attempt waits any more
   * @throws what the work throws
   */
  async join(key: string, context: Context, begin: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const found = this.#works.get(key);
    const present = found?.gone.signal.aborted ? undefined : found;
    const work = present ?? this.#begin(key, begin);
    // The one that has begun it sends its own.
    const stop = present === undefined ? () => {} : sendHeartbeats(context, () => undefined);
    const { cancellationSignal: signal } = context;
    const leave = (): void => {
      work.waiting -= 1;
      const end = (): void => void (work.waiting === 0 && work.gone.abort(signal.reason));
      if (context.cancellationDetails?.timedOut) setTimeout(end, graceMs).unref();
      else end();
    };
    work.waiting += 1;
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      return await work.result;
    } finally {
      signal.removeEventListener('abort', leave);
      stop();
    }
  }

  #begin(key: string, begin: (signal: AbortSignal) => Promise<Result>): Work<Result> {
    const gone = new AbortController();
    const result = begin(gone.signal).finally(() => {
      if (this.#works.get(key) === work) this.#works.delete(key);
    });
    const work = { result, gone, waiting: 0 };
    this.#works.set(key, work);
    return work;
  }
}
