import type {
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskStatus,
} from '@a2a-js/sdk';
import {
  A2AError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { PendingQuestion } from '../../client.ts';
import { inParallel, listed } from '../../client/list.ts';
import { problemOf } from '../problems.ts';
import { linesOf, waitingAfter } from '../waiting.ts';
import { agentCard } from './card.ts';
import { begin, reply } from './send.ts';
import { contextOf, isOver, look, openStatus, taskId, type Caller } from './task.ts';

/** What A2A's methods do here. A task is a run: everything about it is in Temporal, and nothing is remembered between requests. */
export function requestHandler(caller: Caller, after: number | undefined): A2ARequestHandler {
  const { feeds, reprise } = caller.served;
  const translating = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw translated(caller, error);
    });
  async function* stream(
    id: Promise<string>,
    untilAsked: boolean,
    from?: number,
  ): AsyncGenerator<StreamResponse, void> {
    try {
      yield* follow(caller, await id, untilAsked, from);
    } catch (error) {
      throw translated(caller, error);
    }
  }
  async function send(request: SendMessageRequest): Promise<string> {
    if (request.configuration?.taskPushNotificationConfig !== undefined) await noPush();
    const { taskId = '' } = request.message ?? {};
    if (taskId === '') return begin(caller, request);
    await reply(caller, request);
    return taskId;
  }
  const taskOf = async (id: string, historyLength?: number) => (await look(caller, id, historyLength)).task;
  async function sendMessage(request: SendMessageRequest) {
    const id = await send(request);
    const { historyLength, returnImmediately } = request.configuration ?? {};
    const updates = follow(caller, id, true);
    if (!returnImmediately) while (!(await updates.next()).done);
    return taskOf(id, historyLength);
  }
  async function cancelTask(id: string) {
    if (isOver(await taskOf(id, 0))) throw new TaskNotCancelableError(`The task ${id} has ended`);
    await reprise.getRun(id).cancel();
    const signal = AbortSignal.any([caller.signal, AbortSignal.timeout(20_000)]);
    for await (const { type } of feeds.follow(id, { signal })) if (type === 'end') break;
    return taskOf(id);
  }
  return {
    getAgentCard: async () => agentCard(caller.served, caller.access),
    async getAuthenticatedExtendedAgentCard() {
      throw new UnsupportedOperationError('The card at /.well-known/agent-card.json is all that there is');
    },
    sendMessage: (request) => translating(sendMessage(request)),
    // A task that a message begins is told from its beginning, however fast it is, and whoever sends the message again.
    sendMessageStream: (request) => stream(send(request), true, request.message?.taskId ? undefined : 0),
    getTask: ({ historyLength, id }) => translating(taskOf(id, historyLength)),
    listTasks: (request) => translating(listTasks(caller, request)),
    cancelTask: ({ id }) => translating(cancelTask(id)),
    resubscribe: ({ id }) => stream(Promise.resolve(id), false, after),
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  };
}

async function noPush(): Promise<never> {
  throw new PushNotificationNotSupportedError('There are no push notifications: subscribe to the task instead');
}

function translated({ served }: Caller, error: unknown): unknown {
  if (error instanceof A2AError) return error;
  const { detail, status } = problemOf(error);
  if (status === 404) return new TaskNotFoundError(detail);
  if (status < 500) return new RequestMalformedError(detail);
  if (status === 500) served.say(`A2A: ${(error as Error).stack}`);
  return new Error(detail);
}

/** The tasks that were begun by messages, those that have changed last first. @throws `RequestMalformedError` */
async function listTasks(caller: Caller, request: ListTasksRequest): Promise<ListTasksResponse> {
  const { contextId, historyLength, pageSize = 50, pageToken, status, statusTimestampAfter: since = '' } = request;
  if (pageSize < 1 || pageSize > 100) throw new RequestMalformedError('pageSize: a whole number from 1 to 100');
  if (since !== '' && Number.isNaN(Date.parse(since)))
    throw new RequestMalformedError('statusTimestampAfter: a time of ISO 8601');
  const anyTask = taskId(caller.access, contextId.replaceAll(/[^\w.:-]/g, '?'), 0);
  const beginning = anyTask.slice(0, contextId === '' ? -2 : -1);
  const query = `WorkflowId STARTS_WITH '${beginning}' AND ExecutionStatus != 'ContinuedAsNew'`;
  const found: Array<{ id: string; changed: string }> = [];
  for await (const { closeTime, startTime, workflowId: id } of listed(caller.served.reprise.client, query)) {
    if (found.length >= 1000) break;
    if (contextId !== '' && contextOf(caller.access, id) !== contextId) continue;
    // What goes on has changed last.
    found.push({ id, changed: `${closeTime?.toISOString() ?? 'open'} ${startTime.toISOString()}` });
  }
  found.sort((one, other) => other.changed.localeCompare(one.changed));
  const from = found.findIndex(({ id }) => id === pageToken) + 1;
  // Whoever reads page after page would begin anew, and never end.
  if (pageToken !== '' && from === 0) throw new RequestMalformedError('pageToken: it is of no page of these tasks');
  const fits = ({ status: now }: Task): boolean =>
    [0, now?.state].includes(status) && !(Date.parse(now?.timestamp ?? '') < Date.parse(since));
  const fitting: Task[] = [];
  let next = from;
  while (fitting.length < pageSize && next < found.length) {
    const some = found.slice(next, next + pageSize - fitting.length);
    const seen = await inParallel(some, async ({ id }) => (await look(caller, id, historyLength)).task);
    fitting.push(...seen.filter(fits));
    next += some.length;
  }
  const tasks = fitting
    .map((task) => ({ ...task, artifacts: request.includeArtifacts ? task.artifacts : [] }))
    .toSorted((one, other) => (other.status?.timestamp ?? '').localeCompare(one.status?.timestamp ?? ''));
  const nextPageToken = next < found.length ? (found[next - 1]?.id ?? '') : '';
  return { tasks, nextPageToken, pageSize, totalSize: found.length };
}

/**
 * Tells of a task as it is now, and of what happens from there on until it has ended: all who follow it are told the same, in the
 * same order, by whichever server.
 *
 * @param untilAsked whether it ends when something waits too, since the client then has to act
 * @param after the number of the last event that the client has; absent: that of the task as it is now
 * @throws as `look`; `UnsupportedOperationError` where somebody begins to follow what has ended
 */
async function* follow(
  caller: Caller,
  id: string,
  untilAsked: boolean,
  after?: number,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { seq: now, task, waiting: asked } = await look(caller, id);
  if (isOver(task) && !untilAsked && after === undefined)
    throw new UnsupportedOperationError(`The task ${id} has ended: get it instead`);
  yield { payload: { $case: 'task', value: task } };
  if (untilAsked && after === undefined && (isOver(task) || asked.length > 0)) return;
  const common = { taskId: id, contextId: task.contextId };
  const update = (status: TaskStatus | undefined, seq: number, type: string): StreamResponse => ({
    payload: { $case: 'statusUpdate', value: { ...common, status, metadata: { seq, type } } },
  });
  let waiting: readonly PendingQuestion[] = [];
  for await (const item of caller.served.feeds.follow(id, { signal: caller.signal })) {
    if (item.type === 'end') break;
    if (item.type !== 'event') continue;
    const { at, seq, type } = item.event;
    const before = waiting;
    waiting = waitingAfter(before, item.event);
    if (seq <= (after ?? now)) continue;
    const begins = waiting.length > before.length;
    const lines = begins ? [] : linesOf(item.event);
    if (waiting !== before || lines.length > 0)
      yield update(openStatus({ ...common, number: seq }, waiting, lines, at), seq, type);
    if (!untilAsked || !begins) continue;
    // Several things may have begun to wait at once, and all are told before the stream ends.
    const seen = await look(caller, id, 0);
    if (seen.seq > seq && seen.waiting.length > 0) yield update(seen.task.status, seen.seq, type);
    // Where no worker tells at the moment, the event itself says that something waits.
    if (seen.seq < seq || seen.waiting.length > 0) return;
  }
  if (caller.signal.aborted) return;
  const { seq, task: last } = await look(caller, id, 0);
  for (const artifact of last.artifacts) {
    const value = { ...common, artifact, append: false, lastChunk: true, metadata: { seq } };
    yield { payload: { $case: 'artifactUpdate', value } };
  }
  yield update(last.status, seq, 'ended');
}
