import { readTeam } from '../checked-config.ts';
import { usageError } from '../exit.ts';
import type { FollowOptions } from '../options.ts';
import { startAndFollow } from '../start.ts';

/** `reprise ask TASK`: a team answers. */
export async function ask(task: string, options: FollowOptions): Promise<void> {
  if (task.trim() === '') throw usageError('TASK is empty');
  const config = readTeam(options);
  const input = { task, ...(config !== undefined && { config }) };
  await startAndFollow((reprise, named) => reprise.startOrchestration(input, named), options);
}
