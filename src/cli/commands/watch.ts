import { WorkflowNotFoundError } from '@temporalio/client';
import { openWithWorker, revive, withConnection } from '../connection.ts';
import { CommandError } from '../exit.ts';
import { follow } from '../follow.ts';
import type { FollowOptions } from '../options.ts';
import { checkOut } from '../out.ts';

/** `reprise watch ID`: shows a run from its beginning to its end, and prints its answer. */
export async function watch(id: string, options: FollowOptions): Promise<void> {
  checkOut(options);
  await withConnection(openWithWorker(options), async ({ reprise }) => {
    const run = reprise.getRun(id);
    await run.isOpen().catch((error: unknown) => {
      throw error instanceof WorkflowNotFoundError ? new CommandError(`There is no run of the id ${id}`) : error;
    });
    await follow(run, options, () => revive(options));
  });
}
