import { WorkflowNotFoundError } from '@temporalio/client';
import type { Run } from '../../client.ts';
import { openWithWorker, revive, withConnection } from '../connection.ts';
import { CommandError } from '../exit.ts';
import { follow } from '../follow.ts';
import type { FollowOptions } from '../options.ts';
import { checkOut } from '../out.ts';
import type { Shell } from '../shell.ts';
import { choices, runMeant } from '../which-run.ts';

/** `reprise watch [ID]`: shows a run from its beginning to its end, and prints its answer. */
export async function watch(shell: Shell, given: string | undefined, options: FollowOptions): Promise<void> {
  checkOut(shell, options);
  await withConnection(openWithWorker(shell, options), async ({ reprise }) => {
    const id = await runMeant(shell, reprise, given, choices.any);
    // It may be of any type: where it has restarts, a key of the live view asks for one.
    const run: Run = reprise.getOrchestration(id);
    await run.isOpen().catch((error: unknown) => {
      throw error instanceof WorkflowNotFoundError ? new CommandError(`There is no run of the id ${id}`) : error;
    });
    await follow(shell, run, options, () => revive(shell, options));
  });
}
