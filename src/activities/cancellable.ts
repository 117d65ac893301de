import { Context } from '@temporalio/activity';
import { sendHeartbeats } from './heartbeats.ts';

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
  const stop = context.info.isLocal ? undefined : sendHeartbeats(context, details);
  try {
    return await Promise.race([work(context.cancellationSignal), context.cancelled]);
  } finally {
    stop?.();
  }
}
