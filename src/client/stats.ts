import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ofTypes } from '../util/run-status.ts';
import { listed } from './list.ts';
import { isLost } from './snapshot.ts';
import { resultsOf, sumUp, type Results, type Stats } from './aggregate.ts';

export interface StatsOptions {
  /** Is told after each run how many have been read. */
  onRead?: (runs: number) => void;
  /** Is told of each run that could not be read. */
  onUnread?: (workflowId: string, reason: Error) => void;
}

const query = `${ofTypes(['orchestration', 'research', 'planAndExecute'])} AND ExecutionStatus = 'Completed'`;

const concurrency = 8;

/** How long the server may take to return a result, in milliseconds. */
const patience = 10_000;

export async function statsOf(client: Client, { onRead, onUnread }: StatsOptions): Promise<Stats> {
  const results: Results = { orchestrations: [], researchRuns: [], plans: [], unread: 0 };
  // One generator, from which all readers take.
  const runs = (async function* () {
    yield* listed(client, query);
  })();
  let read = 0;
  const readNext = async (): Promise<void> => {
    for await (const run of runs) {
      try {
        const { orchestrations, plans, researchRuns } = resultsOf(run.type, await resultOf(client, run));
        results.orchestrations.push(...orchestrations);
        results.plans.push(...plans);
        results.researchRuns.push(...researchRuns);
      } catch (error) {
        if (isLost(error)) throw error;
        results.unread += 1;
        onUnread?.(run.workflowId, error as Error);
      }
      onRead?.((read += 1));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, readNext));
  return sumUp(results);
}

async function resultOf(client: Client, { workflowId, runId }: WorkflowExecutionInfo): Promise<unknown> {
  const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
  return client.withDeadline(Date.now() + patience, () => handle.result());
}
