import { describe, expect, test } from 'vitest';
import type { PendingCall } from '../../../src/client.ts';
import { dueRetries, isWriting, retryLines } from '../../../src/cli/live/retries.ts';

const now = Date.parse('2026-01-18T17:00:00.000Z');
const at = (seconds: number): string => new Date(now + seconds * 1000).toISOString();
const busy = 'openai gpt at http://127.0.0.1:9: 429 Slow down';
const call = (id: string, attempt: number, rest: Partial<PendingCall> = {}): PendingCall => ({
  activityId: id,
  activity: 'callModel',
  attempt,
  ...(attempt > 1 && { lastFailure: busy, nextTryAt: at(12), endsAt: at(86_399) }),
  ...rest,
});
const linesOf = (calls: PendingCall[]): string[] =>
  retryLines(calls, ({ activityId }) => activityId, 'reprise cancel q1', now);
const end = ' To end the run: reprise cancel q1';

describe('what is tried again is told with what failed, when, for how long, and how to end it', () => {
  test.for<[what: string, calls: PendingCall[], lines: string[]]>([
    ['nothing at a first try', [call('a', 1)], []],
    ['a call that waits', [call('a', 5)], [`⚠️ [a] ${busy}; try 5 in 12 s, and more for up to 23 h 59 min.${end}`]],
    [
      'those that fail alike together',
      [call('a', 5), call('b', 4, { nextTryAt: at(3) }), call('c', 2, { lastFailure: 'status 500' })],
      [
        `⚠️ [a, b] ${busy}; try 4 in 3 s, and more for up to 23 h 59 min.${end}`,
        `⚠️ [c] status 500; try 2 in 12 s, and more for up to 23 h 59 min.${end}`,
      ],
    ],
    [
      'a number of tries as far as it is limited',
      [{ activityId: 's', activity: 'search', attempt: 2, maxAttempts: 3, lastFailure: 'no\nluck', nextTryAt: at(0) }],
      [`⚠️ [s] no luck; try 2 of 3 in 0 s.${end}`],
    ],
    [
      'a try that is under way, whose worker has died before',
      [{ activityId: 's', activity: 'search', attempt: 2 }],
      [`⚠️ [s] it did not finish; try 2 is under way.${end}`],
    ],
  ])('%s', ([, calls, lines]) => {
    expect(linesOf(calls)).toEqual(lines);
  });

  test('of a long failure the beginning', () => {
    const [line = ''] = linesOf([call('a', 2, { lastFailure: 'x'.repeat(500) })]);
    expect(line.length).toBeLessThan(400);
  });
});

test('a call is at it once its model has written something at this try', () => {
  const wrote = (attempt: number, characters: number): PendingCall =>
    call('a', 5, { progress: { partial: '', characters, attempt } });
  expect([wrote(5, 2), wrote(5, 0), wrote(4, 2), call('a', 5)].map(isWriting)).toEqual([true, false, false, false]);
});

test('where nothing is redrawn, a call is told at the first failure and then at twice as many tries each time', () => {
  const due = new Map<string, number>();
  const told = Array.from({ length: 40 }, (_, index) => index + 1).filter(
    (attempt) => dueRetries([call('a', attempt)], due).length > 0,
  );
  expect(told).toEqual([2, 4, 8, 16, 32]);
  expect(dueRetries([call('a', 33), call('b', 2)], due)).toEqual([call('b', 2)]);
});
