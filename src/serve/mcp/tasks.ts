import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequests,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { problemOf } from '../problems.ts';
import { assertReached } from '../start.ts';
import { formOf, reply, saidIn } from './reply.ts';
import type { Caller } from './tools.ts';
import { look, viewText, type RunView } from './view.ts';

/** The extension of the protocol by which a call that takes long becomes a task. Here the task is the run, under its id. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

export const hasTasks = ({ extensions }: ClientCapabilities): boolean => extensions?.[tasksExtension] !== undefined;

export const resultOf = (view: RunView): CallToolResult => ({
  content: [{ type: 'text', text: viewText(view) }],
  structuredContent: { ...view },
  ...(view.state === 'failed' && { isError: true }),
});

/** What waits as forms by their ids, for a client that has forms; undefined where there is none. */
export function formsOf({ run, waits }: RunView, { elicitation }: ClientCapabilities): InputRequests | undefined {
  // One that names no sorts has forms.
  if (elicitation === undefined || (elicitation.url && !elicitation.form)) return undefined;
  const forms = waits.flatMap(({ from, kind, question, questionId }) => {
    const params = formOf(kind, `${from} (${run}): ${question}`);
    return params === undefined ? [] : [[questionId, { method: 'elicitation/create', params }]];
  });
  return forms.length === 0 ? undefined : (Object.fromEntries(forms) as InputRequests);
}

/**
 * Tells a run what a person has filled in. What waits no longer is passed over, so that it may be told again. @returns whether no
 * form was closed without a reply
 */
export async function settle({ served }: Caller, id: string, responses: Record<string, unknown>): Promise<boolean> {
  let isWhole = true;
  for (const pending of await served.reprise.getRun(id).pendingQuestions()) {
    if (!Object.hasOwn(responses, pending.questionId)) continue;
    const said = saidIn(pending.kind, responses[pending.questionId]);
    if (said === undefined) isWhole = false;
    else await reply(served.reprise, id, pending, said);
  }
  return isWhole;
}

/** A task as it is now. A run that has failed is a task that has come to a result, which says so. */
export function taskOf(view: RunView, abilities: ClientCapabilities) {
  const { endedAt, run, startedAt, state } = view;
  const inputRequests = formsOf(view, abilities);
  const isOver = state === 'completed' || state === 'failed';
  return {
    taskId: run,
    status: isOver ? 'completed' : state === 'cancelled' ? state : inputRequests ? 'input_required' : 'working',
    createdAt: startedAt,
    lastUpdatedAt: endedAt ?? new Date().toISOString(),
    ttlMs: null,
    pollIntervalMs: 2000,
    ...(inputRequests && { inputRequests }),
    ...(isOver ? { result: { resultType: 'complete', ...resultOf(view) } } : { statusMessage: viewText(view) }),
  };
}

const params = z.object({ taskId: z.string() });

/** Lets clients look at tasks, fill in what they ask, and cancel them, on any server. */
export function serveTasks(
  { server }: McpServer,
  caller: Caller,
  abilitiesOf: (context: ServerContext) => ClientCapabilities,
): void {
  const { access, served } = caller;
  const requests: Record<string, (id: string, context: ServerContext) => Promise<object>> = {
    'tasks/get': async (id, context) => taskOf(await look(served, id), abilitiesOf(context)),
    'tasks/update': async (id, { mcpReq }) => {
      await settle(caller, id, mcpReq.inputResponses ?? {});
      return {};
    },
    'tasks/cancel': async (id) => {
      // One that has ended is not asked, which is no error: the client may not have heard of its end.
      if (await served.reprise.getRun(id).isOpen()) await served.reprise.getRun(id).cancel();
      return {};
    },
  };
  for (const [method, handle] of Object.entries(requests))
    server.setRequestHandler(method, { params, result: z.looseObject({}) }, async ({ taskId }, context) => {
      if (!hasTasks(abilitiesOf(context)))
        throw new MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [tasksExtension]: {} } },
        });
      try {
        assertReached(access, taskId);
        return { ...(await handle(taskId, context)) };
      } catch (error) {
        const { detail, status } = problemOf(error);
        throw new ProtocolError(ProtocolErrorCode[status < 500 ? 'InvalidParams' : 'InternalError'], detail);
      }
    });
}
