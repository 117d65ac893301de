import { statfs } from 'node:fs/promises';
import { ApplicationFailure } from '@temporalio/common';
import type { Environment } from '../util/environment.ts';
import { failureTypes } from '../models/failures.ts';

/** In milliseconds: many calls begin at once. */
const heldMs = 200;

const nextRetryDelay = '15 seconds';

/**
 * Before a call is paid for: without room on the disk its reply might be lost.
 * @throws `Error` where `REPRISE_MIN_FREE_MB` is no number; (from the check) `ApplicationFailure` of type `DiskFull`,
 *   which is retried until there is room
 */
export function freeDiskCheck(folders: string[], environment: Environment): () => Promise<void> {
  const { REPRISE_MIN_FREE_MB: wanted = '100' } = environment;
  if (!/^\d+$/.test(wanted))
    throw new Error(`REPRISE_MIN_FREE_MB is "${wanted}"; it takes a whole number of megabytes, or 0 for no check`);
  const least = Number(wanted);
  let last: { at: number; found: Promise<void> } | undefined;
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at > heldMs) last = { at: now, found: look() };
    return last.found;
  };

  async function look(): Promise<void> {
    for (const folder of folders) {
      // A folder of which nobody can tell is not held against the call.
      const found = await statfs(folder).catch(() => undefined);
      if (found === undefined) continue;
      const free = Math.floor((found.bavail * found.bsize) / 1_000_000);
      if (free >= least) continue;
      const message =
        `The disk of ${folder} has ${free} MB left, and a model is called only while there are ${least}: make room ` +
        '(reprise prune; REPRISE_MIN_FREE_MB says how much). The call is made then';
      throw ApplicationFailure.create({ type: failureTypes.diskFull, message, nextRetryDelay });
    }
  }
}
