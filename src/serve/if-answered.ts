import type { Reprise } from '../client.ts';
import { isPassing } from '../client/snapshot.ts';

/**
 * What a run's worker says of it.
 *
 * @param patience how long it may take, in milliseconds
 * @returns undefined where no worker answers in that time
 */
export async function ifAnswered<T>(
  { client }: Reprise,
  patience: number,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await client.withDeadline(Date.now() + patience, ask);
  } catch (error) {
    if (isPassing(error)) return undefined;
    throw error;
  }
}
