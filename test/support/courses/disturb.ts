import { setTimeout as pause } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { pendingQuestionsQuery, stateQuery } from '../../../src/protocol/definitions.ts';
import type { PendingQuestion } from '../../../src/protocol/questions.ts';
import type { Dice } from '../dice.ts';
import { diceOf, type Course } from './course.ts';
import type { Pace } from './looks.ts';

/** How long one message may take before nobody waits for it any more: a run that hangs must not collect them. */
const messageMs = 20_000;

/**
 * For how long useless messages come, in milliseconds. A run that hangs would otherwise look alive by their marks in its history.
 */
const uselessMs = 30_000;

/** What has no effect: it names nothing that waits, cannot be read, or is for another kind of run. */
const useless: ReadonlyArray<readonly [name: string, payload: unknown]> = [
  ['answer', { questionId: 'q99', answer: 'Nobody asked.' }],
  ['answer', { answer: 7 }],
  ['approve', { id: 't99', action: 'allow' }],
  ['approve', { id: 't99', action: 'perhaps' }],
  ['approve', null],
  ['requestRestart', { reason: 7 }],
  ['requestRestart', {}],
  ['decide', { action: 'perhaps' }],
  ['decide', null],
  ['unheard', 'of'],
];

/** What may have an effect, whenever it comes. */
const useful: typeof useless = [
  ['answer', { answer: 'In advance.' }],
  ['requestRestart', { reason: 'Too short.', instructions: 'Longer.' }],
  ['decide', { action: 'accept' }],
  ['decide', { action: 'stop', note: 'Enough.' }],
];

/** Sends a run what people and programs may send, useless most of it, several times a second until it has ended. */
export async function disturb(
  client: Client,
  handle: WorkflowHandle,
  course: Course,
  { messageAfterMs, queries }: Pace,
  over: AbortSignal,
): Promise<void> {
  const dice = diceOf(course.seed, course.number, 1);
  const sent: Array<Promise<unknown>> = [];
  const send = (message: () => Promise<unknown>): void => {
    // It may be refused, come after the end, or meet a worker that has just been killed.
    sent.push(client.withDeadline(Date.now() + messageMs, message).catch(() => {}));
  };
  const say = ([name, payload]: (typeof useless)[number], asUpdate: boolean): void =>
    send(() => (asUpdate ? handle.executeUpdate(name, { args: [payload] }) : handle.signal(name, payload)));
  const startedAt = Date.now();
  while (!over.aborted) {
    await pause(dice.whole(...messageAfterMs), undefined, { signal: over }).catch(() => {});
    if (over.aborted) break;
    const isLate = Date.now() - startedAt > uselessMs;
    const act = isLate
      ? () => send(() => decideWhatWaits(handle, dice))
      : dice.weighted<() => void>([
          [8, () => say(dice.one(useless), true)],
          [2, () => say(dice.one(useless), false)],
          [0.4, () => say(dice.one(useful), dice.chance(0.5))],
          [queries, () => send(() => handle.query(stateQuery))],
          [5 * queries, () => send(() => decideWhatWaits(handle, dice))],
        ]);
    act();
  }
  await Promise.all(sent);
}

/** Takes something that waits for a person, and answers it well or badly, once or twice. */
async function decideWhatWaits(handle: WorkflowHandle, dice: Dice): Promise<void> {
  const pending = await handle.query(pendingQuestionsQuery);
  if (pending.length === 0) return;
  const { kind, questionId } = dice.one(pending);
  const [name, payload] = decisions[kind](questionId, dice);
  const asUpdate = dice.chance(0.5);
  for (let times = dice.one([1, 1, 2]); times > 0; times--) {
    await (asUpdate ? handle.executeUpdate(name, { args: [payload] }) : handle.signal(name, payload));
  }
}

const decisions: Record<PendingQuestion['kind'], (id: string, dice: Dice) => [name: string, payload: object]> = {
  question: (questionId, dice) => ['answer', { questionId, answer: dice.one(['', 'Yes.', dice.words(1, 4)]) }],
  key: (questionId) => ['answer', { questionId, answer: '' }],
  tool: (id, dice) => [
    'approve',
    dice.one<object>([
      { id, action: 'allow' },
      { id, action: 'allow', always: true },
      { id, action: 'deny', reason: dice.words(1, 3) },
      { id, action: 'edit', arguments: { text: dice.words(1, 2) } },
    ]),
  ],
  approval: (_, dice) => ['decide', { action: dice.one(['accept', 'stop']) }],
};
