import { CancellationScope, condition, sleep } from '@temporalio/workflow';

/** For how long somebody has waited for what a person must do. Waits that overlap count once. */
export class WaitTime {
  #open = 0;
  #since = 0;
  #sum = 0;

  get isWaiting(): boolean {
    return this.#open > 0;
  }

  /** All of it so far. */
  get milliseconds(): number {
    return this.#sum + (this.isWaiting ? Date.now() - this.#since : 0);
  }

  begin(): void {
    if (this.#open === 0) this.#since = Date.now();
    this.#open += 1;
  }

  end(): void {
    this.#sum = this.milliseconds;
    this.#open -= 1;
    this.#since = Date.now();
  }
}

/**
 * Calls `onEnd` when some time is up. The time stands still during the waits.
 *
 * @param summary what the Web UI says of the timer
 * @returns a function that stops the clock
 */
export function startClock(milliseconds: number, waits: WaitTime, onEnd: () => void, summary: string): () => void {
  const clock = new CancellationScope();
  const run = async (): Promise<void> => {
    let left = milliseconds;
    while (left > 0) {
      const waitedBefore = waits.milliseconds;
      await sleep(left, { summary });
      await condition(() => !waits.isWaiting);
      left = waits.milliseconds - waitedBefore;
    }
    onEnd();
  };
  clock.run(run).catch(() => {});
  return () => clock.cancel();
}
