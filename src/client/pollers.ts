import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { ConnectionLike, WorkflowHandle } from '@temporalio/client';
import { isAlive } from '../util/processes.ts';
import { NobodyPollsError } from './errors.ts';
import { taskQueue } from './names.ts';

type Service = ConnectionLike['workflowService'];

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
 * That nobody polls the queue of a run; undefined where somebody does, or the server does not tell.
 *
 * @param needsTask whether it matters only while the run has a task that waits for a worker
 */
export async function whyUnserved(
  { client, workflowId }: WorkflowHandle,
  needsTask = false,
): Promise<NobodyPollsError | undefined> {
  try {
    const { raw, taskQueue: queue } = await client.getHandle(workflowId).describe();
    if (needsTask && !raw.pendingWorkflowTask) return undefined;
    const pollers = await livePollers(client.workflowService, client.options.namespace, queue);
    return pollers.length > 0 ? undefined : new NobodyPollsError(queue, workflowId);
  } catch {
    return undefined;
  }
}

/**
 * What a run answers to a request.
 *
 * @param options `needsTask` as of `whyUnserved`; `signal` gives the request up
 * @throws what `ask` throws; `NobodyPollsError` where nobody polls the run's queue for five seconds
 */
export async function served<T>(
  handle: WorkflowHandle,
  ask: () => Promise<T>,
  { needsTask = false, signal: given }: { needsTask?: boolean; signal?: AbortSignal } = {},
): Promise<T> {
  given?.throwIfAborted();
  const waiting = new AbortController();
  const signal = AbortSignal.any([waiting.signal, ...(given === undefined ? [] : [given])]);
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
  } finally {
    waiting.abort();
  }
}
