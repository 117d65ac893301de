import { CancellationScope, condition } from '@temporalio/workflow';
import { waitedFrom, type WaitTime } from './clock.ts';

/** Thrown when the time for some work is up. */
export class TimeLimitError extends Error {
  override name = 'TimeLimitError';

  constructor(milliseconds: number) {
    super(`Not done within ${milliseconds} ms`);
  }
}

/**
 * Waits for work within a time limit. Whatever the work has left under way is cancelled, both when it ends and when its
 * time is up.
 *
 * @param waits the waits that do not count
 * @throws what the work throws; `TimeLimitError`; `CancelledFailure`
 */
export async function withinTime<T>(milliseconds: number, waits: WaitTime, work: () => Promise<T>): Promise<T> {
  let end: { value: T } | { error: unknown } | undefined;
  const scope = new CancellationScope();
  void scope.run(work).then(
    (value) => (end = { value }),
    (error: unknown) => (end = { error }),
  );
  const hasEnded = (): boolean => end !== undefined;
  for (let left: number | undefined = milliseconds; left !== undefined && !hasEnded();) {
    const extra = waitedFrom(waits);
    if (await condition(hasEnded, left)) break;
    await condition(() => hasEnded() || !waits.isWaiting);
    left = extra();
  }
  scope.cancel();
  if (end === undefined) throw new TimeLimitError(milliseconds);
  if ('error' in end) throw end.error;
  return end.value;
}
