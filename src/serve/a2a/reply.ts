import type { SendMessageRequest } from '@a2a-js/sdk';
import { RequestMalformedError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { ifFound } from '../../client/errors.ts';
import { argumentsProblem } from '../../client/edited.ts';
import { answerSignal, approveSignal, decideSignal, requestRestartSignal } from '../../protocol/definitions.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import { saidBy, type Said } from './send.ts';
import { isOver, look, type Caller } from './task.ts';

/** Tells a task what somebody has answered. A message that comes again is told once, also where something else waits by then. */
export async function reply(caller: Caller, request: SendMessageRequest): Promise<void> {
  const said = saidBy(request);
  const { contextId, taskId } = said.message;
  const { task, waiting } = await look(caller, taskId, 0);
  if (contextId !== '' && contextId !== task.contextId)
    throw new RequestMalformedError(`message.contextId: the task ${taskId} is of the context ${task.contextId}`);
  const handle = caller.served.reprise.client.workflow.getHandle(taskId);
  if (await isTold(handle, said.key)) return;
  if (isOver(task))
    throw new UnsupportedOperationError(`The task ${taskId} has ended: leave out taskId to begin another`);
  const [name, payload] = toldBy(said, waiting);
  try {
    await handle.executeUpdate(name, { args: [payload], updateId: said.key });
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    throw new RequestMalformedError(error.cause?.message ?? error.message);
  }
}

/** What a message says about what waits. Whether that is understood, and may be, the run itself says. */
function toldBy({ data, text }: Said, waiting: readonly PendingQuestion[]): [update: string, payload: object] {
  if (waiting.length === 0) throw new UnsupportedOperationError('The task waits for no message');
  const [given, ...more] = data as Array<Record<string, unknown> | null>;
  const named = given?.['questionId'] ?? given?.['id'];
  const meant = data.length === 0 ? waiting : waiting.filter(({ questionId }) => questionId === named);
  const [pending] = meant;
  if (pending === undefined || meant.length > 1 || more.length > 0) {
    const ids = waiting.map(({ questionId }) => questionId).join(', ');
    throw new RequestMalformedError(`message.parts: one thing is answered, by data with its id: ${ids}`);
  }
  const { kind, questionId } = pending;
  if (kind === 'approval') {
    const said = given ?? { action: text.trim().toLowerCase() };
    return [said['action'] === 'restart' ? requestRestartSignal.name : decideSignal.name, said];
  }
  if (kind === 'tool' && given) {
    const wrong = given['action'] === 'edit' ? argumentsProblem(given['arguments'], pending) : undefined;
    if (wrong !== undefined) throw new RequestMalformedError(`message.parts: arguments: ${wrong}`);
    return [approveSignal.name, { ...given, id: questionId }];
  }
  return [answerSignal.name, { answer: text, ...given, questionId }];
}

const isTold = async (handle: WorkflowHandle, updateId: string): Promise<boolean> =>
  (await ifFound(
    handle
      .getUpdateHandle(updateId)
      .result()
      .then(() => true),
  )) ?? false;
