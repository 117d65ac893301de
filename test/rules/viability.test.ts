import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bestOf, nextStep, verdictOf, viabilityOf } from '../../src/workflows/research/rules/viability.ts';

test.each([
  [0, 'Major flaws'],
  [30, 'Major flaws'],
  [30.9, 'Major flaws'],
  [31, 'Significant concerns'],
  [50.9, 'Significant concerns'],
  [51, 'Moderate concerns'],
  [70, 'Moderate concerns'],
  [71, 'Good concept'],
  [85.9, 'Good concept'],
  [86, 'Excellent concept'],
  [100, 'Excellent concept'],
])('the band of %d is %s', (score, verdict) => {
  expect(verdictOf(score)).toBe(verdict);
});

describe('the viability score', () => {
  const weights = { feasibility: 0.3, novelty: 0.2, data: 0.2, risk: 0.2, testability: 0.1 };

  test('is the mean by weights, to one decimal', () => {
    const scores = { feasibility: 80, novelty: 40, data: 65, risk: 55, testability: 90 };
    expect(viabilityOf(scores, weights)).toBe(65);
    expect(viabilityOf({ a: 1, b: 2 }, { a: 1, b: 2 })).toBe(1.7);
  });

  test('an aspect of weight 0 does not count, one without a score counts as 0', () => {
    expect(viabilityOf({ a: 80, b: 10 }, { a: 1, b: 0 })).toBe(80);
    expect(viabilityOf({ a: 80 }, { a: 1, b: 1 })).toBe(40);
  });

  test('is that of all aspects where they are equal, whatever the weights', () => {
    const some = fc.dictionary(fc.string({ minLength: 1 }), fc.double({ min: 0.01, max: 9, noNaN: true }), {
      minKeys: 1,
    });
    fc.assert(
      fc.property(some, fc.integer({ min: 0, max: 100 }), (each, score) => {
        const scores = Object.fromEntries(Object.keys(each).map((aspect) => [aspect, score]));
        expect(viabilityOf(scores, each)).toBe(score);
      }),
    );
  });
});

describe('what follows a criticism', () => {
  const settings = (on_missing_score: 'restart' | 'proceed' | 'fail' = 'proceed') => ({
    min_viability_score: 51,
    max_planning_iterations: 3,
    on_missing_score,
  });
  const viable = { kind: 'proceed', outcome: 'viable' };
  const limit = { kind: 'proceed', outcome: 'iteration_limit' };
  test.each([
    ['enough', 51, 1, undefined, viable],
    ['enough at the limit', 51, 3, undefined, viable],
    ['too little', 50.9, 1, undefined, { kind: 'restart', why: 'viability' }],
    ['too little at the limit', 0, 3, undefined, limit],
    ['none, proceed', null, 1, 'proceed', viable],
    ['none, restart', null, 2, 'restart', { kind: 'restart', why: 'no score' }],
    ['none, restart, at the limit', null, 3, 'restart', limit],
    ['none, fail', null, 1, 'fail', { kind: 'fail' }],
    ['none, fail, at the limit', null, 3, 'fail', { kind: 'fail' }],
  ] as const)('%s', (_, score, iteration, policy, step) => {
    expect(nextStep({ score, iteration, settings: settings(policy) })).toEqual(step);
  });
});

describe('the best iteration', () => {
  const best = (...scores: Array<number | null>): number => {
    const iterations = scores.map((score, index) => ({ score, index }));
    return bestOf(iterations).index;
  };

  test.each([
    ['the best score', [30, 45, 40], 1],
    ['of equals the later one', [45, 45, 40], 1],
    ['any score before none', [null, 0, null], 1],
    ['without any score the last', [null, null], 1],
  ])('%s', (_, scores, index) => {
    expect(best(...scores)).toBe(index);
  });
});
