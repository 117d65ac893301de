import type { Client } from '@temporalio/client';
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
        const handle = client.workflow.getHandle(run.workflowId, run.runId, { followRuns: false });
        const result = await client.withDeadline(Date.now() + 10_000, () => handle.result());
        const { orchestrations, plans, researchRuns } = resultsOf(run.type, result);
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
  await Promise.all(Array.from({ length: 8 }, readNext));
  return sumUp(results);
}
