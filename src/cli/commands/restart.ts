import { WorkflowNotFoundError } from '@temporalio/client';
import { open } from '../connection.ts';
import { CommandError, say, usageError } from '../exit.ts';
import type { CommonOptions } from '../options.ts';

export interface RestartOptions extends CommonOptions {
  reason: string;
  instructions: string;
}

/** `reprise restart ID`: a person asks for a restart. */
export async function restart(id: string, options: RestartOptions): Promise<void> {
  const { reason, instructions } = options;
  if (reason.trim() === '' || instructions.trim() === '')
    throw usageError('--reason and --instructions must not be empty');
  const { reprise } = await open(options);
  try {
    await reprise.orchestration(id).requestRestart(reason, instructions);
    say(`Restart of ${id} requested. See what comes of it with: reprise watch ${id}`);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new CommandError(`There is no run of the id ${id}, or it has ended`);
  } finally {
    await reprise.close();
  }
}
