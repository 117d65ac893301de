import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { spentText } from '../../../src/client/show/spent.ts';
import { budgetLeft, spentLimit } from '../../../src/workflows/agent/budget.ts';
import { costOf } from '../../../src/workflows/agent/budget.ts';
import { UsageTracker } from '../../../src/workflows/agent/usage-tracker.ts';

const spent = { calls: 7, tokens: 1200, usd: 0.0301, seconds: 12.4 };

describe('budget', () => {
  test.each([
    ['no limits: never spent', {}, undefined],
    ['below every limit', { calls: 8, tokens: 1201, usd: 0.04, seconds: 13 }, undefined],
    ['a limit that is reached forbids the next call', { calls: 7 }, '7 calls'],
    ['tokens', { tokens: 1000 }, '1000 tokens'],
    ['money', { calls: 100, usd: 0.03 }, '$0.0300'],
    ['time', { seconds: 12 }, '12 seconds'],
  ])('%s', (_, budget, limit) => {
    expect(spentLimit(budget, spent)).toBe(limit);
  });

  test('what is left names each limit, and nothing below zero', () => {
    expect(budgetLeft({ calls: 10, tokens: 1000, usd: 0.1 }, spent)).toBe('3 calls, 0 tokens, $0.0699');
    expect(budgetLeft({}, spent)).toBeUndefined();
  });
});

test('cached input tokens cost their own price, and a model without a price costs nothing', () => {
  const usage = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000 };
  expect(costOf(usage, { input: 2, cachedInput: 0.5, output: 10 })).toBeCloseTo(1.2 + 0.2 + 1);
  expect(costOf(usage, undefined)).toBe(0);
  const long = { above: usage.inputTokens, input: 20, cachedInput: 5, output: 100 };
  expect(costOf(usage, { input: 2, cachedInput: 0.5, output: 10, long })).toBeCloseTo(1.2 + 0.2 + 1);
  const longer = { ...long, above: usage.inputTokens - 1 };
  expect(costOf(usage, { input: 2, cachedInput: 0.5, output: 10, long: longer })).toBeCloseTo(12 + 2 + 10);
});

test('a total says that it is one of estimates as soon as a provider has not counted, and so do the words for it', () => {
  const tracker = new UsageTracker(undefined, {});
  const usage = { inputTokens: 80, cachedInputTokens: 0, outputTokens: 20 };
  for (const [agent, estimated] of [
    ['a', false],
    ['b', true],
    ['b', false],
  ] as const) {
    tracker.callStarted(agent);
    tracker.callEnded(agent, 'm', { ...usage, ...(estimated && { estimated }) });
  }
  const { byAgent, ...total } = tracker.total;
  expect([total, byAgent['a'], byAgent['b']].map((figures) => spentText(figures!))).toEqual([
    '3 calls, about 300 tokens, $0.0000',
    '1 call, 100 tokens, $0.0000',
    '2 calls, about 200 tokens, $0.0000',
  ]);
});

type Act = { act: 'start' | 'reply' | 'leave'; isOver: boolean };
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.record({ act: fc.constantFrom('start', 'start', 'reply', 'leave'), isOver: fc.boolean() }),
  { maxLength: 80 },
);

test('however calls end, a budget is overrun by no more than the calls in flight', () => {
  const usage = { inputTokens: 80, cachedInputTokens: 0, outputTokens: 20 };
  const prices = { m: { input: 1e6, cachedInput: 1e6, output: 1e6 } };
  const limits = [{ calls: 9 }, { tokens: 700 }, { usd: 700 }];
  fc.assert(
    fc.property(acts, fc.constantFrom(...limits), (script, budget) => {
      const tracker = new UsageTracker(budget, prices);
      // One call tells how large they are.
      tracker.callStarted('a');
      tracker.callEnded('a', 'm', usage);
      let inFlight = 0;
      let most = 0;
      let ids = 0;
      for (const { act, isOver } of script) {
        if (act === 'start' && tracker.spentLimit === undefined) {
          tracker.callStarted('a');
          inFlight += 1;
          most = Math.max(most, inFlight);
        } else if (act !== 'start' && inFlight > 0) {
          inFlight -= 1;
          if (act === 'reply') tracker.callEnded('a', 'm', usage);
          else tracker.callLeft({ activityId: `${++ids}`, agent: 'a', model: 'm', isOver });
        }
      }
      const { abandoned, over } = tracker.left;
      tracker.settle([...abandoned, ...over].map((id) => [id, usage]));
      const { calls, costUsd, inputTokens, outputTokens } = tracker.total;
      if ('calls' in budget) expect(calls).toBeLessThanOrEqual(9);
      else expect(inputTokens + outputTokens).toBeLessThanOrEqual(700 + 100 * most);
      if ('usd' in budget) expect(costUsd).toBeLessThanOrEqual(700 + 100 * most);
    }),
    { numRuns: 1000 },
  );
});

test('a budget of time is used up when its timer says so, and not by the clock, which a replay may move', () => {
  vi.useFakeTimers();
  try {
    const tracker = new UsageTracker({ seconds: 2 }, {});
    expect(tracker.millisecondsLeft).toBe(2000);
    vi.advanceTimersByTime(5000);
    expect([tracker.millisecondsLeft, tracker.spentLimit, tracker.timeLimit]).toEqual([1, undefined, undefined]);
    tracker.timeIsUp();
    expect([tracker.spentLimit, tracker.timeLimit]).toEqual(['2 seconds', '2 seconds']);
  } finally {
    vi.useRealTimers();
  }
});
