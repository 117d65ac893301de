import { Context } from '@temporalio/activity';

/** Live text and cancellations come with heartbeats. */
const minIntervalMs = 500;

/** The heartbeat timeout of calls is 15 s, and three lost ones must not reach it. */
const maxIntervalMs = 4000;

/** Of all activities of a worker together. */
const perSecond = 40;

/** In milliseconds. The server writes each heartbeat to its database, which a worker full of calls would keep busy. */
export const heartbeatAfter = (active: number): number =>
  Math.min(maxIntervalMs, Math.max(minIntervalMs, (active * 1000) / perSecond));

let active = 0;

/** @returns what stops the heartbeats */
export function sendHeartbeats(context: Context, details: () => unknown): () => void {
  let timer: NodeJS.Timeout | undefined;
  const next = (): void => {
    timer = setTimeout(() => {
      context.heartbeat(details());
      next();
    }, heartbeatAfter(active));
  };
  active += 1;
  next();
  return () => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    active -= 1;
  };
}

/** @throws what the work throws; `CancelledFailure` at once when the activity is cancelled, even if the work goes on */
export async function cancellable<T>(
  work: (signal: AbortSignal) => Promise<T>,
  details: () => unknown = () => undefined,
): Promise<T> {
  const context = Context.current();
  const stop = sendHeartbeats(context, details);
  try {
    return await Promise.race([work(context.cancellationSignal), context.cancelled]);
  } finally {
    stop();
  }
}
