import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { ofTypes } from '../util/run-status.ts';
import type { OrchestrationResult } from '../protocol/orchestration.ts';
import type { SolveResult } from '../protocol/plan-and-execute.ts';
import type { ResearchResult } from '../protocol/research.ts';
import type { Usage } from '../protocol/usage.ts';
import { isLost } from './snapshot.ts';
import { sumUp, type Results, type Stats } from './sum-up.ts';

export interface StatsOptions {
  /** Is told after each run how many have been read. */
  onRead?: (runs: number) => void;
  /** Is told of each run that could not be read. */
  onUnread?: (workflowId: string, reason: Error) => void;
}

const query = `${ofTypes(['orchestration', 'research', 'planAndExecute'])} AND ExecutionStatus = 'Completed'`;

/** How many runs are read at the same time. */
const concurrency = 8;

/** How long the server may take to return a result, in milliseconds. */
const patience = 10_000;

/** Reads the results of all completed runs and sums them up, as `Reprise.stats` returns them. */
export async function statsOf(client: Client, { onRead, onUnread }: StatsOptions): Promise<Stats> {
  const results: Results = { orchestrations: [], researchRuns: [], plans: [], unread: 0 };
  const runs = completedRuns(client);
  let read = 0;
  const readNext = async (): Promise<void> => {
    for await (const run of runs) {
      try {
        add(results, run.type, await resultOf(client, run));
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

async function* completedRuns({ workflow }: Client): AsyncGenerator<WorkflowExecutionInfo> {
  yield* workflow.list({ query });
}

async function resultOf(client: Client, { workflowId, runId }: WorkflowExecutionInfo): Promise<unknown> {
  const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
  return client.withDeadline(Date.now() + patience, () => handle.result());
}

/**
 * Adds a run's result to the others.
 *
 * @throws where it is not a result of Reprise, and cannot be summed up: somebody else's workflows in the namespace may have the
 *   same names
 */
function add({ orchestrations, plans, researchRuns }: Results, type: string, result: unknown): void {
  const { restarts, iterations, subtasks, usage } = (result ?? {}) as Record<string, unknown> & {
    usage?: Partial<Usage>;
  };
  const told = { orchestration: restarts, research: iterations, planAndExecute: subtasks }[type];
  if (!Array.isArray(told) || typeof usage?.calls !== 'number') throw new Error(`its result is not one of ${type}`);
  const alone: Results = { orchestrations: [], plans: [], researchRuns: [], unread: 0 };
  if (type === 'research') alone.researchRuns.push(result as ResearchResult);
  else if (type === 'planAndExecute') alone.plans.push(result as SolveResult);
  else alone.orchestrations.push(result as OrchestrationResult);
  if (!isCounted(sumUp(alone))) throw new Error('its result holds figures that are no numbers');
  orchestrations.push(...alone.orchestrations);
  plans.push(...alone.plans);
  researchRuns.push(...alone.researchRuns);
}

/** Whether all figures are numbers. */
const isCounted = (figures: object): boolean =>
  Object.values(figures).every((each) =>
    typeof each === 'object' && each !== null ? isCounted(each) : Number.isFinite(each),
  );
