import { WorkflowNotFoundError } from '@temporalio/client';
import type { Run } from '../../client.ts';
import { openWithWorker, revive } from '../connection.ts';
import { CommandError } from '../exit.ts';
import { follow } from '../follow.ts';
import type { FollowOptions } from '../options.ts';

/** `reprise watch ID`: shows a run from its beginning to its end, and prints its answer. */
export async function watch(id: string, options: FollowOptions): Promise<void> {
  const { reprise } = await openWithWorker(options);
  try {
    const run = reprise.getRun(id);
    await mustExist(run);
    await follow(run, options, () => revive(options));
  } finally {
    await reprise.close();
  }
}

/** @throws `CommandError` where there is no run of that id */
async function mustExist(run: Run): Promise<void> {
  try {
    await run.isOpen();
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new CommandError(`There is no run of the id ${run.id}`);
  }
}
