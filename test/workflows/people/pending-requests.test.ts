import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunEventBody } from '../../../src/protocol/events.ts';
import type { PendingQuestion } from '../../../src/protocol/questions.ts';

// Outside of a workflow there are no scopes; a timer is one of the test's.
vi.mock('@temporalio/workflow', () => ({
  CancellationScope: class {
    run = (work: () => Promise<void>): Promise<void> => work();
    cancel = (): void => {};
  },
  sleep: (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
}));

const { isNext, PendingRequests } = await import('../../../src/workflows/people/pending-requests.ts');

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What waits for a person, with `open` for one more, which tells its ends in `events`. */
function desk() {
  const events: string[] = [];
  const requests = new PendingRequests((event) => events.push((event as { text: string }).text));
  const tell = (text: string): RunEventBody => ({ type: 'notice', text });
  const open = (questionId: string, kind: PendingQuestion['kind'] = 'question', timeout?: number) => {
    const request = requests.open<string>(
      { kind, questionId, from: 'agent', question: 'What?' },
      {
        timeout,
        onTimeout: () => request.close('timeout'),
        opened: ({ expiresAt }) => tell(`${questionId} until ${expiresAt}`),
        closed: (end) => tell(`${questionId} ${end}`),
      },
    );
    return request;
  };
  const waiting = (): string[] => requests.list.map((each) => each.questionId);
  return { events, open, requests, waiting };
}

test('what waits is listed in the order in which it began to, until it is closed, once', async () => {
  const { events, open, requests, waiting } = desk();
  const first = open('q1');
  open('t1', 'tool');
  expect(waiting()).toEqual(['q1', 't1']);
  vi.advanceTimersByTime(2000);
  first.close('answered');
  first.close('again');
  expect(await first.end).toBe('answered');
  expect(waiting()).toEqual(['t1']);
  expect(events).toEqual(['q1 until null', 't1 until null', 'q1 answered']);
  expect([requests.waits.milliseconds, requests.waits.isWaiting]).toEqual([2000, true]);
});

test('a person who lets a time run out is silent for this kind until there is a sign of them', async () => {
  const { events, open, requests } = desk();
  open('q1', 'question', 1000);
  open('t1', 'tool', 1000).close('allowed');
  await vi.advanceTimersByTimeAsync(1000);
  expect(events.slice(2)).toEqual(['t1 allowed', 'q1 timeout']);
  expect([requests.isSilent('question'), requests.isSilent('tool')]).toEqual([true, false]);
  requests.personIsThere();
  expect(requests.isSilent('question')).toBe(false);
});

test.each([
  { timeout: 1000, left: 500, ends: 500, isSpent: 1 },
  { timeout: 500, left: 1000, ends: 500, isSpent: 0 },
  { timeout: undefined, left: 800, ends: 800, isSpent: 1 },
])(
  'what waits $timeout ms ends with a budget that has $left ms left, which is then spent, or before',
  async ({ timeout, left, ends, isSpent }) => {
    const { events, open, requests } = desk();
    const timeIsUp = vi.fn<() => void>();
    requests.budget = { millisecondsLeft: left, timeIsUp };
    open('q1', 'question', timeout);
    await vi.advanceTimersByTimeAsync(ends - 1);
    expect(events).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(events).toEqual([`q1 until ${new Date(ends).toISOString()}`, 'q1 timeout']);
    expect(timeIsUp).toHaveBeenCalledTimes(isSpent);
  },
);

test.each([
  ['what it names', { questionId: 't1', answer: 'yes' }, 't1'],
  ['nothing that does not wait', { questionId: 'q9', answer: 'yes' }, undefined],
  ['the question', { answer: 'Blue' }, 'q1'],
  ['the question to skip', { answer: '' }, 'q1'],
])('an answer is about %s', (_, reply, id) => {
  const { open, requests } = desk();
  for (const [each, kind] of [
    ['k1', 'key'],
    ['t1', 'tool'],
    ['q1', 'question'],
  ] as const)
    open(each, kind);
  expect(requests.meantBy(reply)?.questionId).toBe(id);
});

test('an empty answer skips a key where no question waits, and no words are about one, nor about a call of a tool', () => {
  const { open, requests } = desk();
  open('t1', 'tool');
  expect(requests.meantBy({ answer: 'yes' })).toBeUndefined();
  open('k1', 'key');
  expect(requests.meantBy({ answer: ' ' })?.questionId).toBe('k1');
  expect(requests.meantBy({ answer: 'sk-it-is-this' })).toBeUndefined();
});

test.each([
  ['q3', 2, true],
  ['q12', 2, true],
  ['q13', 2, false],
  ['q2', 2, false],
  ['t3', 2, false],
  ['q03', 2, false],
  ['q', 0, false],
])('whether %s is one of the next ids behind %d', (id, latest, isOne) => {
  expect(isNext('q', id, latest)).toBe(isOne);
});
