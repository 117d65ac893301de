import { Context } from '@temporalio/activity';

/** Cancellation reaches an activity only with its heartbeats. */
const heartbeatMs = 500;

/**
 * Does an activity's work with heartbeats, so that it learns of its cancellation.
 *
 * @param work is given the signal, and left behind where it ignores it
 * @throws what the work throws; `CancelledFailure` at once when the activity is cancelled
 */
export async function cancellable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const heartbeats = context.info.isLocal ? undefined : setInterval(() => context.heartbeat(), heartbeatMs);
  try {
    return await Promise.race([work(context.cancellationSignal), context.cancelled]);
  } finally {
    clearInterval(heartbeats);
  }
}
