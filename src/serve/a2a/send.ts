import { Message, type SendMessageRequest } from '@a2a-js/sdk';
import { ContentTypeNotSupportedError, RequestMalformedError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import { WorkflowUpdateFailedError, type WorkflowExecutionDescription, type WorkflowHandle } from '@temporalio/client';
import { RunExistsError } from '../../client.ts';
import { argumentsProblem } from '../../client/edited.ts';
import { ifFound } from '../../client/errors.ts';
import { inputQuestion } from '../../client/list.ts';
import { answerOf } from '../../client/show/record-parts.ts';
import { answerSignal, approveSignal, decideSignal, requestRestartSignal } from '../../protocol/definitions.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import { canonicalJson } from '../../trust/mac.ts';
import { hashOf } from '../../util/ids.ts';
import { defaultName } from '../configs.ts';
import { HttpProblem } from '../problems.ts';
import { startNamed } from '../start.ts';
import { isOver, look, taskId, type Caller } from './task.ts';

/** A message that was checked. `key` is the same for the same message sent again, and for no other. */
interface Said {
  message: Message;
  text: string;
  data: unknown[];
  key: string;
}

/** @throws `RequestMalformedError`, `ContentTypeNotSupportedError` */
function saidBy({ message }: SendMessageRequest): Said {
  if (message === undefined) throw new RequestMalformedError('message is missing');
  if (message.messageId === '') throw new RequestMalformedError('message.messageId is missing: a text of your own');
  const contents = message.parts.map(({ content }) => content);
  const other = contents.findIndex((each) => each?.$case !== 'text' && each?.$case !== 'data');
  if (other >= 0) throw new ContentTypeNotSupportedError(`message.parts[${other}]: a part is {"text"} or {"data"}`);
  const { metadata, parts } = Message.toJSON(message) as Record<string, unknown>;
  return {
    message,
    text: contents.flatMap((each) => (each?.$case === 'text' ? each.value : [])).join('\n\n'),
    data: contents.flatMap((each) => (each?.$case === 'data' ? [each.value as unknown] : [])),
    key: hashOf(canonicalJson([message.messageId, parts ?? [], metadata ?? null])),
  };
}

function nameIn({ message, metadata }: SendMessageRequest): string {
  const given = { ...metadata, ...message?.metadata };
  const name: unknown = given['configuration'] ?? given['skillId'] ?? defaultName;
  if (typeof name === 'string') return name;
  throw new RequestMalformedError(
    'metadata.configuration: it is the name of a configuration, which is the id of a skill',
  );
}

/**
 * Begins a task, or finds the one that the same message has begun before. The tasks of a context are numbered, so that any server
 * finds them all by their ids. @returns its id
 */
export async function begin(caller: Caller, request: SendMessageRequest): Promise<string> {
  const { data, key, message, text: words } = saidBy(request);
  const contextId = message.contextId || key.slice(0, 24);
  if (!/^[\w.:-]{1,200}$/.test(contextId))
    throw new RequestMalformedError('message.contextId: it has 1 to 200 letters, digits and . : _ -; or leave it out');
  const text = [words, ...data.map((each) => JSON.stringify(each))].join('\n\n').trim();
  if (text === '') throw new RequestMalformedError('message.parts: there is no text');
  const name = nameIn(request);
  const history: EarlierMessage[] = [];
  for (let number = 1; ;) {
    const id = taskId(caller.access, contextId, number);
    const earlier = await ifFound(caller.served.reprise.client.workflow.getHandle(id).describe());
    if (earlier?.memo?.['a2a'] === key) return id;
    if (earlier !== undefined) {
      history.push(...(await exchangeOf(caller, earlier)));
      number += 1;
      continue;
    }
    try {
      const wanted = { name, text, history, id, memo: { a2a: key } };
      // Where it is not new, somebody has taken the place a moment ago: for the same message, or for another of this context.
      if ((await startNamed(caller.served, caller.access, wanted)).isNew) return id;
    } catch (error) {
      if (error instanceof HttpProblem) throw new RequestMalformedError(error.message);
      if (!(error instanceof RunExistsError)) throw error;
    }
  }
}

/** What was said in an earlier task of the same context; nothing where it has come to no answer. */
async function exchangeOf(
  { served: { reprise } }: Caller,
  earlier: WorkflowExecutionDescription,
): Promise<EarlierMessage[]> {
  if (earlier.status.name !== 'COMPLETED') return [];
  const answer = answerOf(await reprise.getRun(earlier.workflowId).result());
  if (answer === '') return [];
  const content = await inputQuestion(reprise.client, earlier);
  return [
    { role: 'user', content },
    { role: 'assistant', content: answer },
  ];
}

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
  const { id, questionId: named = id, ...fields } = given ?? {};
  const meant = data.length === 0 ? waiting : waiting.filter(({ questionId }) => questionId === named);
  const [pending] = meant;
  if (pending === undefined || meant.length > 1 || more.length > 0) {
    const ids = waiting.map(({ questionId }) => questionId).join(', ');
    throw new RequestMalformedError(`message.parts: one thing is answered, by data with its id: ${ids}`);
  }
  const { kind, questionId } = pending;
  if (kind === 'approval') {
    const { action = text.trim().toLowerCase(), ...others } = fields;
    return action === 'restart' ? [requestRestartSignal.name, others] : [decideSignal.name, { action, ...others }];
  }
  if (kind === 'tool' && given) {
    const wrong = given['action'] === 'edit' ? argumentsProblem(given['arguments'], pending) : undefined;
    if (wrong !== undefined) throw new RequestMalformedError(`message.parts: arguments: ${wrong}`);
    return [approveSignal.name, { ...fields, id: questionId }];
  }
  return [answerSignal.name, { answer: text, ...fields, questionId }];
}

const isTold = async (handle: WorkflowHandle, updateId: string): Promise<boolean> =>
  (await ifFound(
    handle
      .getUpdateHandle(updateId)
      .result()
      .then(() => true),
  )) ?? false;
