import { Context } from '@temporalio/activity';

/** The time between heartbeats, through which alone an activity learns that it is cancelled. */
const heartbeatMs = 500;

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
  const heartbeats = context.info.isLocal ? undefined : setInterval(() => context.heartbeat(details()), heartbeatMs);
  try {
    return await Promise.race([work(context.cancellationSignal), context.cancelled]);
  } finally {
    clearInterval(heartbeats);
  }
}
