import { Context } from '@temporalio/activity';

/** The shortest time between two heartbeats of an activity, in milliseconds: live text and cancellations come with them. */
const minIntervalMs = 500;

/** The longest one. The heartbeat timeout of calls is 15 s, and three that are lost must not reach it. */
const maxIntervalMs = 4000;

/** How many heartbeats a second a worker sends with all its activities together, before each of them waits longer. */
const perSecond = 40;

/**
 * After how long an activity's next heartbeat is due, in milliseconds. The server writes each one to its database, so that a
 * worker full of waiting calls would otherwise keep it busy with nothing else.
 *
 * @param active how many activities send heartbeats
 */
export const heartbeatAfter = (active: number): number =>
  Math.min(maxIntervalMs, Math.max(minIntervalMs, (active * 1000) / perSecond));

let active = 0;

/**
 * Sends an activity's heartbeats until it is told to stop.
 *
 * @param details what each heartbeat carries
 * @returns what stops them
 */
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

/**
 * Does an activity's work, and sends heartbeats meanwhile.
 *
 * @param work is given a signal of the cancellation; if it ignores the signal, it is not waited for
 * @param details what the heartbeats carry
 * @throws what the work throws; `CancelledFailure` at once when the activity is cancelled
 */
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
