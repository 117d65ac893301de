import { isGrpcServiceError, WorkflowNotFoundError, type Client } from '@temporalio/client';
import { Worker, type InjectedSinks, type ReplayWorkerOptions } from '@temporalio/worker';
import type { Sinks } from '@temporalio/workflow';
import { leanCode } from '../../src/worker/lean-threads.ts';

/** One run of a workflow; `runId` is absent where the latest run of that id is meant. */
export interface Execution {
  workflowId: string;
  runId?: string | undefined;
}

type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;

/** What the server has of a run. */
export interface Recorded extends Execution {
  history: History;
}

/** What a worker reads histories with. Its interceptors are in its bundle. */
export type ReplayOptions = Pick<ReplayWorkerOptions, 'workflowBundle' | 'dataConverter' | 'sinks'>;

/** The same for the histories of a worker that exists. Its sinks are deaf: what a replay says has been said before. */
export function replayOptionsOf({ options: { dataConverter, sinks = {}, workflowBundle } }: Worker): ReplayOptions {
  // The SDK's own are always there.
  const own = Object.entries(sinks).filter(([name]) => !name.startsWith('__temporal'));
  return {
    ...(workflowBundle !== undefined && { workflowBundle }),
    ...(dataConverter !== undefined && { dataConverter }),
    sinks: Object.fromEntries(own.map(([name, functions]) => [name, deaf(functions)])) as InjectedSinks<Sinks>,
  };
}

const deaf = (functions: object): object =>
  Object.fromEntries(Object.keys(functions).map((name) => [name, { fn() {} }]));

/** How many histories are fetched at a time. */
const fetchedAtOnce = 8;

/**
 * The histories of runs and of those that they go on in. A run that the server does not have any more has none; one of an id
 * that was used again counts by itself.
 */
export async function recordedOf(client: Client, executions: Execution[]): Promise<Recorded[]> {
  const recorded = new Map<string, Recorded>();
  const left = [...new Map(executions.map((each) => [keyOf(each), each])).values()];
  const fetchNext = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      if (recorded.has(keyOf(next))) continue;
      const history = await historyOf(client, next);
      // What no worker has taken yet has nothing to replay.
      if (!history?.events?.some(({ workflowTaskCompletedEventAttributes: done }) => done)) continue;
      recorded.set(keyOf(next), { ...next, history });
      const runId = history.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      if (typeof runId === 'string') left.push({ workflowId: next.workflowId, runId });
    }
  };
  await Promise.all(Array.from({ length: fetchedAtOnce }, fetchNext));
  return [...recorded.values()];
}

const keyOf = ({ runId = '', workflowId }: Execution): string => `${workflowId} ${runId}`;

/** gRPC's NOT_FOUND, which comes as it is where the server has deleted a run. */
const notFound = new Set<number>([5]);

async function historyOf(client: Client, { runId, workflowId }: Execution): Promise<History | undefined> {
  try {
    return await client.workflow.getHandle(workflowId, runId).fetchHistory();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError || (isGrpcServiceError(error) && notFound.has(error.code)))
      return undefined;
    throw error;
  }
}

/** A history that cannot be replayed, and why. */
export interface Irreplayable extends Execution {
  why: string;
}

/**
 * Replays histories, in milliseconds each, and tells which of them cannot be. Of a run that is still open, or was terminated,
 * what there is must lead to the same commands.
 */
export function irreplayable(options: ReplayOptions, recorded: Recorded[]): Promise<Irreplayable[]> {
  // One that ends takes the SDK's runtime along if nothing else has it, also from one that is just beginning.
  const replayed = last.then(() => replay(options, recorded));
  last = replayed.catch(() => {});
  return replayed;
}

let last: Promise<unknown> = Promise.resolve();

// A replay runs workflows in this process, which is to take from it what a worker takes from its threads. Besides, the SDK asks
// the V8 context of each promise to compile a function for its stack, which ends in an error where that may not.
await import(`data:text/javascript,${encodeURIComponent(leanCode(false))}`);

async function replay(options: ReplayOptions, recorded: Recorded[]): Promise<Irreplayable[]> {
  if (recorded.length === 0) return [];
  const found: Irreplayable[] = [];
  let index = 0;
  for await (const { error } of Worker.runReplayHistories(options, recorded)) {
    const { runId, workflowId } = recorded[index++] as Recorded;
    if (error !== undefined) found.push({ workflowId, runId, why: error.message });
  }
  if (index !== recorded.length) throw new Error(`Of ${recorded.length} histories only ${index} were replayed`);
  return found;
}

/** The runs of a task queue, as the server lists them: those of the last moment may be missing. */
export async function runsOf(client: Client, taskQueue: string): Promise<Execution[]> {
  const runs: Execution[] = [];
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | undefined;
  do {
    // The client's own list reads what runs show there, which may be encrypted.
    const page = await client.workflowService.listWorkflowExecutions({
      namespace,
      query: `TaskQueue = '${taskQueue}'`,
      ...(nextPageToken && { nextPageToken }),
    });
    for (const { execution } of page.executions)
      if (execution?.workflowId && execution.runId)
        runs.push({ workflowId: execution.workflowId, runId: execution.runId });
    nextPageToken = page.nextPageToken.length > 0 ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
  return runs;
}

/** @throws where one of these histories leads to other commands than it did */
export async function assertReplay(options: ReplayOptions, recorded: Recorded[]): Promise<void> {
  const found = await irreplayable(options, recorded);
  if (found.length === 0) return;
  const lines = found.map(({ runId, why, workflowId }) => `${workflowId} (${runId}): ${why}`);
  throw new Error(`What happened cannot be replayed:\n${lines.join('\n')}`);
}
