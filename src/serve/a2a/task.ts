import { Artifact, Message, TaskState, type Task, type TaskStatus } from '@a2a-js/sdk';
import { RequestMalformedError } from '@a2a-js/sdk/errors';
import { WorkflowFailedError, type WorkflowExecutionDescription } from '@temporalio/client';
import type { Run, RunEvent } from '../../client.ts';
import { temporalReason } from '../../client/errors.ts';
import { inputQuestion } from '../../client/list.ts';
import { answerOf } from '../../client/show/record-parts.ts';
import { isPassing } from '../../client/snapshot.ts';
import { askedText, type PendingQuestion } from '../../protocol/questions.ts';
import { isOpenStatus } from '../../util/run-status.ts';
import type { Access } from '../access.ts';
import { problemOf } from '../problems.ts';
import type { Served } from '../served.ts';
import { assertReached } from '../start.ts';
import { askedIn, linesOf, waitingAfter } from '../waiting.ts';

export interface Caller {
  served: Served;
  access: Access;
  signal: AbortSignal;
}

const { TASK_STATE_CANCELED, TASK_STATE_COMPLETED, TASK_STATE_FAILED, TASK_STATE_REJECTED } = TaskState;

const ends = [TASK_STATE_COMPLETED, TASK_STATE_FAILED, TASK_STATE_CANCELED, TASK_STATE_REJECTED];

export const isOver = ({ status }: Task): boolean => status !== undefined && ends.includes(status.state);

/** A task's id, which is its run's: its place in its context. */
export const taskId = ({ prefix }: Access, contextId: string, number: number): string =>
  `${prefix}a2a-${contextId}-${number}`;

/** The context that a task belongs to. A run that was started elsewhere is a context of its own. */
export const contextOf = ({ prefix }: Access, id: string): string =>
  /^a2a-(.+)-\d+$/.exec(id.slice(prefix.length))?.[1] ?? id;

/**
 * A task as it is now, what waits in it, and the number of the last event that it takes account of. @param historyLength how many
 * of its last messages it has; absent: all @throws `RequestMalformedError`, `HttpProblem`, `WorkflowNotFoundError`
 */
export async function look(
  { access, served }: Caller,
  id: string,
  historyLength?: number,
): Promise<{ task: Task; waiting: readonly PendingQuestion[]; seq: number }> {
  if (id.trim() === '') throw new RequestMalformedError('id is missing: that of a task');
  assertReached(access, id);
  const { client } = served.reprise;
  const run = served.reprise.getRun(id);
  const described = await client.workflow.getHandle(id).describe();
  const isBegun = described.historyLength > 2;
  const trouble: string[] = [];
  const read = client.withDeadline(Date.now() + 3000, async () => (isBegun ? run.events() : []));
  const events = await read.catch((error: unknown): RunEvent[] => {
    if (!isPassing(error)) throw error;
    trouble.push(`No worker tells what is done at present: ${temporalReason(error)}`);
    return [];
  });
  const { at, seq } = events.at(-1) ?? { at: described.startTime.toISOString(), seq: 0 };
  const contextId = contextOf(access, id);
  const place = { taskId: id, contextId, number: seq };
  const waiting = events.reduce<readonly PendingQuestion[]>(waitingAfter, []);
  const lines = waiting.length > 0 ? trouble : [...events.flatMap(linesOf), ...trouble].slice(-1);
  // That it waits is known without a worker, though not for what.
  const isWaiting = trouble.length > 0 && described.searchAttributes['RepriseWaiting']?.[0] === 'human';
  const state = isBegun ? isWaiting && TaskState.TASK_STATE_INPUT_REQUIRED : TaskState.TASK_STATE_SUBMITTED;
  const { artifacts, status } = isOpenStatus(described.status.name)
    ? { artifacts: [], status: { ...openStatus(place, waiting, lines, at), ...(state !== false && { state }) } }
    : await ended(run, described, place);
  const said = async (): Promise<Message[]> => [
    messageOf('USER', { ...place, number: 0 }, [{ text: await inputQuestion(client, described) }]),
    ...events.flatMap((event) => saidIn(event, { ...place, number: event.seq })),
  ];
  const history = historyLength === 0 ? [] : (await said()).slice(-(historyLength ?? 0));
  return { task: { id, contextId, status, artifacts, history, metadata: { seq } }, waiting, seq };
}

/** The status of a task that goes on. @param lines what is told besides what waits */
export function openStatus(
  place: Place,
  waiting: readonly PendingQuestion[],
  lines: string[],
  timestamp: string,
): TaskStatus {
  const isAsked = waiting.length > 0;
  const state = isAsked ? TaskState.TASK_STATE_INPUT_REQUIRED : TaskState.TASK_STATE_WORKING;
  const parts = [...lines.map((text) => ({ text })), ...(isAsked ? askedParts(waiting) : [])];
  return { state, message: parts.length === 0 ? undefined : messageOf('AGENT', place, parts), timestamp };
}

/** How a run has ended. No worker is needed for it. */
async function ended(
  run: Run,
  { closeTime, status: { name }, startTime }: WorkflowExecutionDescription,
  place: Place,
): Promise<Pick<Task, 'artifacts'> & { status: TaskStatus }> {
  const as = (state: TaskState, text: string, artifacts: Artifact[] = []) => ({
    artifacts,
    status: {
      state,
      message: messageOf('AGENT', place, [{ text }]),
      timestamp: (closeTime ?? startTime).toISOString(),
    },
  });
  try {
    const result = await run.result();
    const { outcome, usage, warnings } = result;
    const state = outcome === 'cancelled' ? TASK_STATE_CANCELED : TASK_STATE_COMPLETED;
    const parts = [{ text: answerOf(result), mediaType: 'text/markdown' }];
    const answer = Artifact.fromJSON({ artifactId: 'answer', parts, metadata: { outcome, warnings, usage } });
    return as(state, [`Outcome: ${outcome}`, ...warnings].join('\n'), answerOf(result) === '' ? [] : [answer]);
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { detail, status } = problemOf(error);
    if (name === 'CANCELLED' || name === 'TERMINATED') return as(TASK_STATE_CANCELED, detail);
    return as(status === 422 ? TASK_STATE_REJECTED : TASK_STATE_FAILED, detail);
  }
}

function saidIn(event: RunEvent, place: Place): Message[] {
  const asked = askedIn(event);
  if (asked !== undefined) return [messageOf('AGENT', place, askedParts([asked]))];
  let text: string | undefined;
  if (event.type === 'question_closed') text = event.answer;
  if (event.type === 'approval_resolved') text = `${event.how} ${event.reason ?? ''}`;
  if (event.type === 'decided') text = `${event.action} ${event.note ?? ''}`;
  return text === undefined ? [] : [messageOf('USER', place, [{ text: text.trim() }])];
}

/** Where a message belongs. `number` tells it from others of its task. */
interface Place {
  taskId: string;
  contextId: string;
  number: number;
}

type Parts = Array<{ text: string } | { data: unknown }>;

const messageOf = (who: 'USER' | 'AGENT', { number, ...place }: Place, parts: Parts): Message =>
  Message.fromJSON({ ...place, messageId: `${place.taskId}-${who}-${number}`, role: `ROLE_${who}`, parts });

const ways: Record<PendingQuestion['kind'], string> = {
  question: 'Answer by a text, or by the data {"questionId", "answer"}; an empty answer skips it.',
  tool: 'Answer by yes, always, or no with a reason; or by the data {"id", "action": "allow" | "deny" | "edit", "arguments"?, "reason"?, "always"?}.',
  approval:
    'Answer by accept or stop; or by the data {"id", "action": "accept" | "stop" | "restart", "note"?, "reason"?, "instructions"?}.',
  key: 'It goes on once a worker has it; the data {"questionId", "answer": ""} goes on without it.',
};

const askedParts = (waiting: readonly PendingQuestion[]): Parts => [
  ...waiting.map((each) => ({ text: `${each.from}: ${askedText(each)}\n(${each.questionId}: ${ways[each.kind]})` })),
  { data: { waits: waiting } },
];
