import { CancellationScope, condition, sleep } from '@temporalio/workflow';

/** For how long somebody has waited for what a person must do. Waits that overlap count once. */
export class WaitTime {
  /** How many waits there have been, of which those that overlap are one. */
  begun = 0;
  #open = 0;
  #since = 0;
  #sum = 0;

  get isWaiting(): boolean {
    return this.#open > 0;
  }

  get milliseconds(): number {
    return this.#sum + (this.isWaiting ? Date.now() - this.#since : 0);
  }

  begin(): void {
    if (this.#open === 0) {
      this.#since = Date.now();
      this.begun += 1;
    }
    this.#open += 1;
  }

  end(): void {
    this.#sum = this.milliseconds;
    this.#open -= 1;
    this.#since = Date.now();
  }
}

/** Calls `onEnd` when some time is up, which stands still during the waits. @returns a function that stops the clock */
export function startClock(milliseconds: number, waits: WaitTime, onEnd: () => void, summary: string): () => void {
  const clock = new CancellationScope();
  const run = async (): Promise<void> => {
    for (let left: number | undefined = milliseconds; left !== undefined;) {
      const extra = waitedFrom(waits);
      await sleep(left, { summary });
      await condition(() => !waits.isWaiting);
      left = extra();
    }
    onEnd();
  };
  clock.run(run).catch(() => {});
  return () => clock.cancel();
}

/**
 * Begins to look at the waits. It returns what tells how long there have been any since, at least 1; undefined if there was
 * none. Whether there was one is known from the waits themselves: what a timer is started for does not hang on the clock.
 */
export function waitedFrom(waits: WaitTime): () => number | undefined {
  const { begun, isWaiting, milliseconds } = waits;
  return () => (isWaiting || waits.begun > begun ? Math.max(1, waits.milliseconds - milliseconds) : undefined);
}

export class TimeLimitError extends Error {
  override name = 'TimeLimitError';

  constructor(milliseconds: number) {
    super(`Not done within ${milliseconds} ms`);
  }
}

/**
 * Waits for work within a time limit. What it has left under way is cancelled at its end, or when its time is up. It may be a
 * user's, which may go on when it is cancelled, and is not waited for then.
 *
 * @param waits those that do not count
 * @throws what the work throws; `TimeLimitError`; `CancelledFailure`
 */
export async function withinTime<T>(milliseconds: number, waits: WaitTime, work: () => Promise<T>): Promise<T> {
  const scope = new CancellationScope();
  const timeUp = Promise.withResolvers<never>();
  const onEnd = (): void => timeUp.reject(new TimeLimitError(milliseconds));
  const stopClock = startClock(milliseconds, waits, onEnd, 'time limit');
  try {
    return await Promise.race([scope.run(work), timeUp.promise, CancellationScope.current().cancelRequested]);
  } finally {
    stopClock();
    scope.cancel();
  }
}
