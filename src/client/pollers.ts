import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectionLike, WorkflowHandle } from '@temporalio/client';
import { isAlive } from '../util/processes.ts';
import { decodeAll } from '../encryption/codec.ts';
import { grpcErrorIn, UnservedError } from './errors.ts';
import { taskQueue } from './names.ts';

type Service = ConnectionLike['workflowService'];
type Described = Awaited<ReturnType<WorkflowHandle['describe']>>;

/** `temporal.api.enums.v1.TaskQueueType`. */
export const workflowTasks = 1;

/** What marks a worker that a command has started for its own runs, and not for those of everybody. */
export const ownMark = '@up';

/** What is between a worker's name and the id of its store. */
export const storeMark = '@store-';

export interface Poller {
  identity: string;
  buildId: string | undefined;
  /** Whether it is for the runs of one home, so that others start workers of their own. */
  isOwn: boolean;
  /** The id of its store; undefined for a worker that does not name one, such as somebody else's. */
  store: string | undefined;
}

/** Who polls for workflows, without processes of this machine that have ended: Temporal lists a killed worker for minutes. */
export async function livePollers(service: Service, namespace: string, queue = taskQueue): Promise<Poller[]> {
  const { pollers } = await service.describeTaskQueue({
    namespace,
    taskQueue: { name: queue },
    taskQueueType: workflowTasks,
  });
  return (pollers ?? []).flatMap(({ identity, deploymentOptions }) => {
    if (!identity) return [];
    const [pid, host] = identity.split('@');
    if (host === hostname() && !isAlive(Number(pid))) return [];
    const [name = '', store] = identity.split(storeMark);
    return [{ identity, buildId: deploymentOptions?.buildId ?? undefined, isOwn: name.endsWith(ownMark), store }];
  });
}

/** When it is looked whether a worker is there, in milliseconds from the look before: one may just be starting. */
const looksMs = [1000, 4000];

/**
 * Why nobody gets on with a run; undefined where somebody does, or the server does not tell. @param needsTask whether it matters
 * only while the run has a task that waits for a worker
 */
export async function whyUnserved(handle: WorkflowHandle, needsTask = false): Promise<UnservedError | undefined> {
  const { client, workflowId } = handle;
  try {
    const { raw, taskQueue: queue } = await client.getHandle(workflowId).describe();
    if (needsTask && !raw.pendingWorkflowTask) return undefined;
    const pollers = await livePollers(client.workflowService, client.options.namespace, queue);
    const run = `the run ${workflowId}`;
    const start =
      queue === taskQueue ? 'npx reprise up, or npx reprise worker' : `those of Reprise poll "${taskQueue}"`;
    if (pollers.length === 0)
      return new UnservedError(
        `Nobody polls the task queue "${queue}" of ${run}, which goes on once a worker does (${start})`,
      );
    const build = pinnedBuild({ raw });
    if (build !== undefined && !pollers.some(({ buildId }) => buildId === build))
      return new UnservedError(
        `No worker of the version ${build} polls, to which ${run} is pinned. It answers and goes on once one does: ` +
          `start a worker of that release and its code or, where the run was started, npx reprise watch ${workflowId}`,
      );
    const why = await lastTaskFailure(handle);
    return why === undefined ? undefined : new UnservedError(`The worker of ${run} cannot go on: ${why}`);
  } catch {
    return undefined;
  }
}

/** The version of workers to which a run is pinned; undefined where others may have it. */
function pinnedBuild({ raw }: Pick<Described, 'raw'>): string | undefined {
  const { behavior, deploymentVersion, versioningOverride } = raw.workflowExecutionInfo?.versioningInfo ?? {};
  if (versioningOverride?.autoUpgrade) return undefined;
  // `temporal.api.enums.v1.VersioningBehavior`: 1 is pinned.
  const own = Number(behavior) === 1 ? deploymentVersion : undefined;
  return (versioningOverride?.pinned?.version ?? own)?.buildId || undefined;
}

/**
 * Why the last task of a run has failed, which Temporal tries again for ever. So it is where the worker lacks the key by
 * which the run is encrypted. @returns undefined where it did not fail
 */
async function lastTaskFailure({ client, workflowId }: WorkflowHandle): Promise<string | undefined> {
  const { loadedDataConverter, namespace } = client.options;
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace,
    execution: { workflowId },
    // A task that has failed is among the last events, with the next one that is scheduled.
    maximumPageSize: 10,
  });
  const last = history?.events?.find(
    (event) => event.workflowTaskFailedEventAttributes ?? event.workflowTaskCompletedEventAttributes,
  )?.workflowTaskFailedEventAttributes;
  if (!last?.failure) return undefined;
  const { failure } = await decodeAll(last, loadedDataConverter);
  return failure?.message || undefined;
}

/**
 * What a run answers to a request. @param options `needsTask` as of `whyUnserved`; `signal` gives the request up @throws what
 * `ask` throws; `UnservedError` where nobody has got on with the run for five seconds
 */
export async function served<T>(
  handle: WorkflowHandle,
  ask: () => Promise<T>,
  {
    needsTask = false,
    signal: given = new AbortController().signal,
  }: { needsTask?: boolean; signal?: AbortSignal } = {},
): Promise<T> {
  given.throwIfAborted();
  const waiting = new AbortController();
  const signal = AbortSignal.any([waiting.signal, given]);
  const answer = handle.client.connection.withAbortSignal(signal, ask);
  const looked = async (): Promise<T> => {
    for (const [index, ms] of looksMs.entries()) {
      await pause(ms, undefined, { ref: false, signal }).catch(() => {});
      const why = signal.aborted ? undefined : await whyUnserved(handle, needsTask);
      if (why === undefined) break;
      if (index === looksMs.length - 1) throw why;
    }
    return answer;
  };
  try {
    return await Promise.race([answer, looked()]);
  } catch (error) {
    throw await explained(handle, error);
  } finally {
    waiting.abort();
  }
}

/** Why nobody gets on with a run, where the server has refused a request for that; any other error as it is. */
export async function explained(handle: WorkflowHandle, error: unknown): Promise<unknown> {
  // gRPC's FAILED_PRECONDITION.
  const isRefused = (grpcErrorIn(error)?.code as number | undefined) === 9;
  return (isRefused && (await whyUnserved(handle))) || error;
}
