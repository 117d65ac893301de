import { WorkflowNotFoundError } from '@temporalio/client';
import { workflowTypes } from '../protocol/definitions.ts';
import type { Reprise } from '../client.ts';
import { isUnknownAttribute } from '../client/inbox.ts';
import { ofTypes, openOnly } from '../util/run-status.ts';
import { ageText } from '../client/show/progress.ts';
import { CommandError, usageError } from './exit.ts';
import type { Shell } from './shell.ts';

type Selection = { what: string; query: string };

const any = ofTypes(workflowTypes);

export const choices = {
  any: { what: 'run', query: `${any} AND ExecutionStatus != 'ContinuedAsNew'` },
  open: { what: 'run that goes on', query: `${any} AND ${openOnly}` },
  waiting: { what: 'run that waits for a person', query: `${any} AND ${openOnly} AND RepriseWaiting = 'human'` },
  restartable: {
    what: 'run that can be restarted',
    query: `${ofTypes(['orchestration', 'research'])} AND ${openOnly}`,
  },
  research: { what: 'research run that goes on', query: `${ofTypes(['research'])} AND ${openOnly}` },
} satisfies Record<string, Selection>;

/**
 * The run that a person means: that of an id or of its beginning, else the newest one, which is then told.
 *
 * @returns what was given, where no run has such an id
 * @throws `CommandError`, status 2, with the runs that it may be, and status 1 where there is none
 */
export async function runMeant(
  shell: Shell,
  reprise: Reprise,
  given: string | undefined,
  choice: Selection,
): Promise<string> {
  if (given === undefined) {
    const [[newest] = []] = await runsOf(reprise, choice.query);
    if (newest === undefined) throw new CommandError(`There is no ${choice.what}`);
    shell.say(`The newest ${choice.what}: ${newest}`);
    return newest;
  }
  if (given === '') throw usageError('ID is empty');
  // A beginning with other characters would have to be quoted in the query.
  if ((await isRun(reprise, given)) || !/^[\w.:/@-]+$/.test(given)) return given;
  for (const { query } of [choice, choices.any]) {
    const runs = await runsOf(reprise, `${query} AND WorkflowId STARTS_WITH '${given}'`);
    const lines = runs.map(([id, startedAt]) => `  ${id}  ${ageText(Date.now() - startedAt)} ago`);
    if (runs.length > 1)
      throw usageError([`Several runs have ids that begin with ${given}; name more of one:`, ...lines].join('\n'));
    if (runs[0] !== undefined) return runs[0][0];
  }
  return given;
}

/** Says that there is no run of an id; of an error, only where it says so itself. */
export const noRun =
  (id: string) =>
  (error?: unknown): never => {
    if (error !== undefined && !(error instanceof WorkflowNotFoundError)) throw error;
    throw new CommandError(`There is no run of the id ${id}`);
  };

export async function isRun({ client }: Reprise, id: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(id).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** The ids of the runs of a list by their times, the newest first. Of many that have ended, those that ended last. */
async function runsOf({ client }: Reprise, query: string): Promise<Array<[id: string, startedAt: number]>> {
  const asked = { namespace: client.options.namespace, query, pageSize: 100 };
  const { executions } = await client.workflowService.listWorkflowExecutions(asked).catch((error: unknown) => {
    if (isUnknownAttribute(error)) return { executions: [] };
    throw error;
  });
  const times = new Map<string, number>();
  for (const { execution, startTime } of executions) {
    const id = execution?.workflowId ?? '';
    const startedAt = Number(startTime?.seconds ?? 0) * 1000 + (startTime?.nanos ?? 0) / 1e6;
    times.set(id, Math.max(startedAt, times.get(id) ?? 0));
  }
  return [...times].toSorted(([, one], [, other]) => other - one);
}
