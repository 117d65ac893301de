import { isGrpcServiceError, ServiceError, type Client } from '@temporalio/client';
import type { PendingQuestion } from '../protocol/questions.ts';
import { Run } from './run.ts';

/** Something that waits for a person, and the run that it belongs to. */
export interface InboxQuestion extends PendingQuestion {
  workflowId: string;
}

/** How long a run may take to tell what waits, in milliseconds. */
const patience = 15_000;

const query = 'RepriseWaiting = "human" AND ExecutionStatus = "Running"';

/** All runs that wait for a person, as `Reprise.waiting` returns them. */
export async function waitingRuns({ workflow }: Client): Promise<Run[]> {
  const runs: Run[] = [];
  try {
    for await (const { workflowId } of workflow.list({ query })) runs.push(new Run(workflow.getHandle(workflowId)));
  } catch (error) {
    if (!isUnknownAttribute(error)) throw error;
  }
  return runs;
}

/** All that waits for a person, as `Reprise.inbox` returns it. */
export async function questionsOf(
  client: Client,
  onSilent: (workflowId: string, reason: Error) => void,
): Promise<InboxQuestion[]> {
  const runs = await waitingRuns(client);
  const found = await Promise.all(
    runs.map(async (run) => {
      try {
        const pending = await client.withDeadline(Date.now() + patience, () => run.pendingQuestions());
        return pending.map((each) => ({ workflowId: run.id, ...each }));
      } catch (error) {
        onSilent(run.id, error as Error);
        return [];
      }
    }),
  );
  return found.flat().toSorted((one, other) => one.askedAt.localeCompare(other.askedAt));
}

/** Whether the server does not know the search attribute, since no worker has registered it: then no run can wait. */
function isUnknownAttribute(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.details.includes('RepriseWaiting');
}
