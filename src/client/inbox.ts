import type { Client } from '@temporalio/client';
import { pendingQuestionsQuery } from '../protocol/definitions.ts';
import type { PendingQuestion } from '../protocol/questions.ts';
import { grpcErrorIn } from './errors.ts';
import { inParallel, listed } from './list.ts';
import { firstLine } from './names.ts';

/** Something that waits for a person, and the run that it belongs to. */
export interface InboxQuestion extends PendingQuestion {
  workflowId: string;
  /** The first line of what the run is about; absent where that is not known. */
  task?: string;
}

/** After how many milliseconds without an answer of any run no further one is asked. */
const longestSilence = 20_000;

const query = 'RepriseWaiting = "human" AND ExecutionStatus = "Running"';

export async function waitingRuns(client: Client) {
  const runs: Array<{ id: string; task: string }> = [];
  try {
    for await (const { memo, workflowId } of listed(client, query))
      runs.push({ id: workflowId, task: firstLine((memo?.['question'] as string | undefined) ?? '') });
  } catch (error) {
    if (!isUnknownAttribute(error)) throw error;
  }
  return runs;
}

export async function questionsOf(
  client: Client,
  onSilent: (workflowId: string, reason: Error) => void,
): Promise<InboxQuestion[]> {
  const ask = ({ id }: { id: string }) =>
    client.withDeadline(Date.now() + 15_000, () => client.workflow.getHandle(id).query(pendingQuestionsQuery));
  const found = await askEach(await waitingRuns(client), ask, onSilent);
  return found
    .flatMap(({ run: { id, task }, answer }) =>
      answer.map((each) => ({ workflowId: id, ...(task && { task }), ...each })),
    )
    .toSorted((one, other) => one.askedAt.localeCompare(other.askedAt));
}

/**
 * Asks runs, a few at a time: a worker that has just begun replays each before it answers, and would let most of a thousand
 * wait for too long. @param onSilent is told of each that did not answer, or was not asked since none answered any more
 */
export async function askEach<R extends { id: string }, T>(
  runs: R[],
  ask: (run: R) => Promise<T>,
  onSilent: (id: string, reason: Error) => void,
): Promise<Array<{ run: R; answer: T }>> {
  let answeredAt = Date.now();
  const answers = await inParallel(runs, async (run) => {
    try {
      if (Date.now() - answeredAt > longestSilence)
        throw new Error(`it was not asked, since no run had answered for ${longestSilence / 1000} s`);
      const answer = await ask(run);
      answeredAt = Date.now();
      return [{ run, answer }];
    } catch (error) {
      onSilent(run.id, error as Error);
      return [];
    }
  });
  return answers.flat();
}

/** Whether the server does not know the search attribute, since no worker has registered it: then no run can wait. */
export const isUnknownAttribute = (error: unknown): boolean =>
  grpcErrorIn(error)?.details.includes('RepriseWaiting') ?? false;
