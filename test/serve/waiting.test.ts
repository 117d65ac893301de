import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import { waitingAfter } from '../../src/serve/waiting.ts';

const opened = (type: string, kind: PendingQuestion['kind'], questionId: string) =>
  ({ type, kind, questionId, from: 'agent1', question: 'Which?', askedAt: '', expiresAt: null }) as unknown as RunEvent;

const other = (type: string, questionId?: string) => ({ type, questionId }) as unknown as RunEvent;

const question = opened('question', 'question', 'q1');
const call = opened('approval_requested', 'tool', 't1');
const key = opened('key_missing', 'key', 'key-X');
const plan = opened('plan_review', 'approval', 'approval-1');

test.each<[name: string, events: RunEvent[], waits: string[]]>([
  ['all that is asked waits', [question, call, key, plan], ['q1', 't1', 'key-X', 'approval-1']],
  ['until it is closed', [question, call, other('question_closed', 'q1')], ['t1']],
  ['or decided', [call, other('approval_resolved', 't1')], []],
  ['or found', [key, other('key_closed', 'key-X')], []],
  ['what others do meanwhile ends nothing', [question, other('answer'), other('tool')], ['q1']],
  ['a plan waits until it is accepted', [plan, other('restart_refused'), other('decided')], []],
  ['or planned anew', [plan, other('planning_restart')], []],
  ['a run that is stopped waits for nothing', [question, call, other('stopped')], []],
])('%s', (_, events, waits) => {
  expect(events.reduce(waitingAfter, []).map(({ questionId }) => questionId)).toEqual(waits);
});

test('what changes nothing leaves the very same array', () => {
  const waiting = [question, call].reduce(waitingAfter, []);
  expect(waitingAfter(waiting, other('answer'))).toBe(waiting);
  expect(waitingAfter([], other('final'))).toEqual([]);
});
