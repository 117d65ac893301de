import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { completeTeam } from '../../config/default-team.ts';
import { readEnvironment } from '../../config/environment.ts';
import { preflight } from '../../config/preflight.ts';
import { readTeamFile } from '../../config/read-config.ts';
import { teamSchema, type TeamConfig } from '../../config/team.ts';
import { readHolder } from '../../embedded/lock.ts';
import { openWithWorker, revive, type Opened } from '../connection.ts';
import { say, usageError } from '../exit.ts';
import { follow } from '../follow.ts';
import { homeFolder, type CommonOptions } from '../options.ts';
import { targetOf } from '../target.ts';

/** `reprise ask TASK`: a team answers. */
export async function ask(task: string, options: CommonOptions): Promise<void> {
  if (task.trim() === '') throw usageError('TASK is empty');
  const config = options.config === undefined ? undefined : readConfig(options.config);
  checkKeys(config, options);
  const opened = await openWithWorker(options);
  try {
    const run = await start(opened, task, config, options);
    if (options.detach) {
      process.stdout.write(`${run.id}\n`);
      say(`Follow it with: reprise watch ${run.id}`);
      return;
    }
    say(`Run ${run.id}${opened.uiAddress === undefined ? '' : `, Web UI ${opened.uiAddress}`}`);
    await follow(run, options, () => revive(options));
  } finally {
    await opened.reprise.close();
  }
}

function readConfig(file: string): TeamConfig {
  const read = readTeamFile(file);
  if (!read.ok) throw usageError(read.problems.join('\n'));
  return read.config;
}

/** A worker elsewhere has keys of its own; one here has ours, so that what is missing can be said before anything starts. */
function checkKeys(config: TeamConfig | undefined, options: CommonOptions): void {
  if (!targetOf(options.temporal, readHolder(homeFolder())).isLocal) return;
  const environment = readEnvironment(process.env);
  const problems = preflight(completeTeam(config ?? teamSchema.parse({}), environment), environment);
  if (problems.length > 0) throw usageError(problems.join('\n'));
}

async function start(
  { reprise }: Opened,
  task: string,
  config: TeamConfig | undefined,
  { id }: CommonOptions,
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
