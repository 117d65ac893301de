import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { Reprise, Run } from '../client.ts';
import { openWithWorker, revive, type Opened } from './connection.ts';
import { say, usageError } from './exit.ts';
import { follow, watchCommand } from './follow.ts';
import type { FollowOptions } from './options.ts';

/** Starts a run of some type, under the id that is given. */
export type Start = (reprise: Reprise, options: { id?: string }) => Promise<Run>;

/** Starts a run, and follows it to its end; with `--detach` leaves it. @throws `CommandError` */
export async function startAndFollow(start: Start, options: FollowOptions): Promise<void> {
  const opened = await openWithWorker(options);
  try {
    const run = await startOnce(start, opened.reprise, options);
    if (options.detach) {
      process.stdout.write(`${run.id}\n`);
      say(`Follow it with: ${watchCommand(run.id, options)}`);
      return;
    }
    say(placeText(run.id, opened));
    await follow(run, options, () => revive(options));
  } finally {
    await opened.reprise.close();
  }
}

/** Where a run is to be seen. */
export const placeText = (id: string, { uiAddress }: Opened): string =>
  `Run ${id}${uiAddress === undefined ? '' : `, Web UI ${uiAddress}`}`;

async function startOnce(start: Start, reprise: Reprise, { id }: FollowOptions): Promise<Run> {
  try {
    return await start(reprise, { ...(id !== undefined && { id }) });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw usageError(`There is a run of the id ${id} already: reprise watch ${id}`);
  }
}
