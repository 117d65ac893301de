import type { SendMessageRequest, StreamResponse } from '@a2a-js/sdk';
import {
  A2AError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { problemOf } from '../problems.ts';
import { agentCard } from './card.ts';
import { follow } from './follow.ts';
import { listTasks } from './list.ts';
import { reply } from './reply.ts';
import { begin } from './send.ts';
import { isOver, look, type Caller } from './task.ts';

/** How long a task that was cancelled may take to end before it is told as it is then, in milliseconds. */
const cancelMs = 20_000;

/**
 * What A2A's methods do here. A task is a run: everything about it is in Temporal, and nothing is remembered between requests.
 *
 * @param after the number of the last event that the client has seen
 */
export function requestHandler(caller: Caller, after: number | undefined): A2ARequestHandler {
  const { feeds, reprise } = caller.served;
  const translating = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw translated(caller, error);
    });
  async function* stream(
    id: Promise<string>,
    untilAsked: boolean,
    from: number | undefined,
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
  async function sendMessage(request: SendMessageRequest) {
    const id = await send(request);
    const { historyLength, returnImmediately } = request.configuration ?? {};
    const updates = follow(caller, id, true);
    if (!returnImmediately) while (!(await updates.next()).done);
    return (await look(caller, id, historyLength)).task;
  }
  async function cancelTask(id: string) {
    if (isOver((await look(caller, id, 0)).task)) throw new TaskNotCancelableError(`The task ${id} has ended`);
    await reprise.getRun(id).cancel();
    const signal = AbortSignal.any([caller.signal, AbortSignal.timeout(cancelMs)]);
    for await (const { type } of feeds.follow(id, { signal })) if (type === 'end') break;
    return (await look(caller, id)).task;
  }
  return {
    getAgentCard: async () => agentCard(caller.served, caller.access),
    async getAuthenticatedExtendedAgentCard() {
      throw new UnsupportedOperationError('The card at /.well-known/agent-card.json is all that there is');
    },
    sendMessage: (request) => translating(sendMessage(request)),
    // A task that a message begins is told from its beginning, however fast it is, and whoever sends the message again.
    sendMessageStream: (request) => stream(send(request), true, request.message?.taskId ? undefined : 0),
    getTask: ({ historyLength, id }) => translating(look(caller, id, historyLength).then(({ task }) => task)),
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
