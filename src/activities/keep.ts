import { Context } from '@temporalio/activity';
import { isOutOfOrder } from '../store/out-of-order.ts';

/** The first wait for a store that is out of order, and the longest one, in milliseconds. */
const shortest = 250;
const longest = 5000;

/**
 * Stores what was paid for, or what must not happen twice. While the store is out of order (locked, full, not writable)
 * this tries again for as long as the activity lives, since giving up would mean to pay again. The worker's log says so
 * once.
 *
 * @param what is stored, for the log
 * @throws `CancelledFailure`; any other error of the store
 */
export async function keep<T>(what: string, store: () => Promise<T>): Promise<T> {
  const context = Context.current();
  for (let wait = shortest; ; wait = Math.min(longest, wait * 2)) {
    try {
      return await store();
    } catch (error) {
      if (!isOutOfOrder(error)) throw error;
      if (wait === shortest) {
        context.log.warn(`${what} cannot be stored for now, and is kept until it can: ${(error as Error).message}`);
      }
    }
    await context.sleep(wait);
  }
}
