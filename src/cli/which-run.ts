import { WorkflowNotFoundError } from '@temporalio/client';
import { workflowTypes } from '../protocol/definitions.ts';
import type { PendingQuestion, Reprise } from '../client.ts';
import { isUnknownAttribute, questionsOf } from '../client/inbox.ts';
import { ofTypes, openOnly } from '../util/run-status.ts';
import { ageText } from '../client/show/progress.ts';
import { CommandError, usageError } from './exit.ts';
import type { Shell } from './shell.ts';

interface Selection {
  what: string;
  query: string;
  /** Of runs that wait for a person, those that wait for this come first. */
  first?: { kind: PendingQuestion['kind']; what: string };
}

const any = ofTypes(workflowTypes);

const waiting = {
  what: 'run that waits for a person',
  query: `${any} AND ${openOnly} AND RepriseWaiting = 'human'`,
};

export const choices = {
  any: { what: 'run', query: `${any} AND ExecutionStatus != 'ContinuedAsNew'` },
  open: { what: 'run that goes on', query: `${any} AND ${openOnly}` },
  asking: { ...waiting, first: { kind: 'question', what: 'run that asks a question' } },
  calling: { ...waiting, first: { kind: 'tool', what: 'run that waits with a tool call' } },
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
    const ids = (await runsOf(reprise, choice.query)).map(([id]) => id);
    const [newest] = ids;
    if (newest === undefined) throw new CommandError(`There is no ${choice.what}`);
    const meant = ids.length > 1 && choice.first ? await firstOf(reprise, ids, choice.first.kind) : undefined;
    const isNewest = meant === undefined || meant === newest;
    shell.say(isNewest ? `The newest ${choice.what}: ${newest}` : `The newest ${choice.first?.what}: ${meant}`);
    return meant ?? newest;
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

/** The first of runs of which something of a kind waits; undefined where none is known to. */
async function firstOf({ client }: Reprise, ids: string[], kind: PendingQuestion['kind']): Promise<string | undefined> {
  const pending = await questionsOf(client, () => undefined);
  return ids.find((id) => pending.some((each) => each.workflowId === id && each.kind === kind));
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
