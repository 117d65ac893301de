import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { TeamConfig } from '../../config/team.ts';
import { readTeam } from '../checked-config.ts';
import { openWithWorker, revive, type Opened } from '../connection.ts';
import { say, usageError } from '../exit.ts';
import { follow, watchCommand } from '../follow.ts';
import type { FollowOptions } from '../options.ts';

/** `reprise ask TASK`: a team answers. */
export async function ask(task: string, options: FollowOptions): Promise<void> {
  if (task.trim() === '') throw usageError('TASK is empty');
  const config = readTeam(options);
  const opened = await openWithWorker(options);
  try {
    const run = await start(opened, task, config, options);
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

async function start(
  { reprise }: Opened,
  task: string,
  config: TeamConfig | undefined,
  { id }: FollowOptions,
) {
  try {
    return await reprise.startOrchestration(
      { task, ...(config !== undefined && { config }) },
      { ...(id !== undefined && { id }) },
    );
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw usageError(`There is a run of the id ${id} already: reprise watch ${id}`);
  }
}
