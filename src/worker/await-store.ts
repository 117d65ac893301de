import { setTimeout as pause } from 'node:timers/promises';
import { VariableError } from '../util/environment.ts';
import { isOutOfOrder } from '../store/open-store.ts';
import { PostgresUnavailableError } from '../store/postgres.ts';
import type { Store } from '../store/store.ts';
import { warn } from './parts.ts';

const timeoutMs = 60_000;

/** A worker's store cannot be used, so that it does not begin to poll: a run that it took would not get on. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
}

/**
 * Waits until a store can be used, since a database is often started beside its workers.
 *
 * @throws `VariableError`; `StoreUnavailableError` after a minute, and at once if only somebody's hand can help, such as for
 *   a wrong password
 */
export async function awaitStore(store: Store): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      await store.identity();
      return;
    } catch (error) {
      if (error instanceof VariableError) throw error;
      const { message } = error as Error;
      const mayPass = isOutOfOrder(error) && !(error instanceof PostgresUnavailableError && error.isRefusal);
      if (!mayPass) throw new StoreUnavailableError(message, { cause: error });
      const seconds = timeoutMs / 1000;
      if (Date.now() >= deadline) {
        const advice = 'Start it, or correct DATABASE_URL';
        throw new StoreUnavailableError(`${message} (tried for ${seconds} seconds). ${advice}`, { cause: error });
      }
      if (isFirst) warn(`${message}. Waiting for it, up to ${seconds} seconds`);
    }
    await pause(1000);
  }
}
