import { setTimeout as pause } from 'node:timers/promises';
import type { Reprise } from '../../client.ts';
import { isPassing } from '../../client/snapshot.ts';

/**
 * How long it may take until a worker tells which questions wait, in milliseconds. When a worker has just died, the server
 * holds the first query for it for ten seconds, although another one has taken its place.
 */
const patience = 30_000;

/** Asks a run's worker something. @returns undefined where no worker answers @throws what the asking throws else */
export async function patiently<T>(client: Reprise['client'], ask: () => Promise<T>): Promise<T | undefined> {
  const until = Date.now() + patience;
  for (;;) {
    try {
      return await client.withDeadline(until, ask);
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (Date.now() >= until) return undefined;
      // A worker that stands in for a dead one may take some seconds to begin.
      await pause(500);
    }
  }
}
