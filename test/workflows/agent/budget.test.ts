import { describe, expect, test } from 'vitest';
import { budgetLeft, spentLimit } from '../../../src/workflows/agent/budget.ts';
import { costOf } from '../../../src/workflows/agent/budget.ts';

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
