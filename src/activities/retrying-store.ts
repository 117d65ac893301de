import { Context } from '@temporalio/activity';
import { isOutOfOrder } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { recordAttributes } from '../telemetry/calls.ts';

/** In milliseconds. */
const minDelayMs = 250;
const maxDelayMs = 5000;

/** Paid for, or must not happen twice; with what the log calls it. */
const kept: Partial<Record<keyof Store, string>> = { commitReply: 'A reply', commitToolResult: 'A tool result' };

/** Rather than waited for, see `record` in `tries.ts`. */
const leftOut: ReadonlyArray<keyof Store> = ['recordTry', 'close'];

/**
 * While the store is out of order (locked, full, not writable, its server away), its operations are tried again for as
 * long as the activity lives. What was paid for is tried again whatever is wrong, such as a table that is missing while
 * a backup is put back: to give up would mean to pay again.
 * @throws (from its methods) `CancelledFailure`; any other error of the store, and outside of an activity each
 */
export function retrying(store: Store): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      // A call whose place cannot be taken has cost nothing, and is tried again by Temporal. Nobody waits for texts in progress.
      if (name === 'rates' || name === 'liveTexts') return target[name];
      const operation = target[name].bind(target) as (...values: unknown[]) => Promise<unknown>;
      return leftOut.includes(name) ? operation : (...values: unknown[]) => tried(name, () => operation(...values));
    },
  });
}

async function tried<T>(name: keyof Store, operation: () => Promise<T>): Promise<T> {
  const began = performance.now();
  for (let wait = minDelayMs; ; wait = Math.min(maxDelayMs, wait * 2)) {
    try {
      const result = await operation();
      if (wait > minDelayMs) recordAttributes({ storeOutOfOrder: (performance.now() - began) / 1000 });
      return result;
    } catch (error) {
      const what = kept[name];
      const context = what !== undefined || isOutOfOrder(error) ? presentActivity() : undefined;
      if (context === undefined) throw error;
      const trouble = what
        ? `${what} cannot be stored for now, and is kept until it can`
        : 'An activity waits for the store';
      if (wait === minDelayMs) context.log.warn(`${trouble}: ${(error as Error).message}`);
      await context.sleep(wait);
    }
  }
}

function presentActivity(): Context | undefined {
  try {
    return Context.current();
  } catch {
    return undefined;
  }
}
