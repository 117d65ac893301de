import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bestOf, nextStep, verdictOf, viabilityOf, type Step } from '../../src/rules/viability.ts';

test.each([
  [0, 'Major flaws'],
  [15, 'Major flaws'],
  [30, 'Major flaws'],
  [30.4, 'Major flaws'],
  [30.99, 'Major flaws'],
  [31, 'Significant concerns'],
  [45, 'Significant concerns'],
  [50.9, 'Significant concerns'],
  [51, 'Moderate concerns'],
  [70.5, 'Moderate concerns'],
  [71, 'Good concept'],
  [72, 'Good concept'],
  [85.9, 'Good concept'],
  [86, 'Excellent concept'],
  [100, 'Excellent concept'],
])('a score of %d: %s', (score, verdict) => {
  expect(verdictOf(score)).toBe(verdict);
});

describe('the viability of weighted aspects', () => {
  test.each<[string, Record<string, number>, Record<string, number>, number | undefined]>([
    ['the mean by weight', { a: 80, b: 40 }, { a: 3, b: 1 }, 70],
    ['weights need not sum to 1', { a: 80, b: 40 }, { a: 0.2, b: 0.2 }, 60],
    ['one decimal', { a: 70, b: 50, c: 51 }, { a: 1, b: 1, c: 1 }, 57],
    ['a half is rounded up, though sums of decimals are off', { a: 1.1, b: 1.2 }, { a: 0.5, b: 0.5 }, 1.2],
    ['a weight of 0 counts nothing', { a: 80, b: 40 }, { a: 1, b: 0 }, 80],
    ['an aspect without a weight counts nothing', { a: 80, b: 40 }, { a: 1 }, 80],
    ['a weight without a score counts nothing', { a: 80 }, { a: 1, b: 9 }, 80],
    ['0 is a score', { a: 0, b: 0 }, { a: 1, b: 1 }, 0],
    ['nothing in common', { a: 80 }, { b: 1 }, undefined],
    ['what every object has is no score', {}, { constructor: 1 }, undefined],
    ['no sum overflows', { a: 80, b: 40 }, { a: 1e308, b: 1e308 }, 60],
  ])('%s', (_, scores, weights, viability) => {
    expect(viabilityOf(scores, weights)).toBe(viability);
  });

  const weights = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.double({ min: 0.001, max: 1000, noNaN: true }),
    { minKeys: 1 },
  );
  const tenth = fc.nat(1000).map((tenths) => tenths / 10);

  test('of equal scores is exactly that score', () => {
    fc.assert(
      fc.property(weights, tenth, (weights, score) => {
        const scores = Object.fromEntries(Object.keys(weights).map((aspect) => [aspect, score]));
        expect(viabilityOf(scores, weights)).toBe(score);
      }),
    );
  });

  test('lies between the lowest and the highest score, to one decimal', () => {
    fc.assert(
      fc.property(weights, fc.array(tenth, { minLength: 1 }), (weights, values) => {
        const aspects = Object.keys(weights);
        const used = aspects.map((_, index) => values[index % values.length]!);
        const scores = Object.fromEntries(aspects.map((aspect, index) => [aspect, used[index]!]));
        const viability = viabilityOf(scores, weights)!;
        expect(viability).toBeGreaterThanOrEqual(Math.min(...used));
        expect(viability).toBeLessThanOrEqual(Math.max(...used));
        expect(Number(viability.toFixed(1))).toBe(viability);
      }),
    );
  });
});

describe('what follows a criticism', () => {
  const settings = {
    min_viability_score: 51,
    max_planning_iterations: 3,
    on_missing_score: 'proceed',
  } as const;
  const viable: Step = { kind: 'proceed', outcome: 'viable' };
  const limit: Step = { kind: 'proceed', outcome: 'iteration_limit' };

  test.each<[number | null, number, 'restart' | 'proceed' | 'fail', Step]>([
    [15, 1, 'proceed', { kind: 'restart', why: 'viability' }],
    [45, 2, 'proceed', { kind: 'restart', why: 'viability' }],
    [50.9, 1, 'proceed', { kind: 'restart', why: 'viability' }],
    [0, 1, 'fail', { kind: 'restart', why: 'viability' }],
    [51, 1, 'proceed', viable],
    [72, 3, 'proceed', viable],
    [45, 3, 'proceed', limit],
    [45, 3, 'fail', limit],
    [45, 4, 'proceed', limit],
    [null, 1, 'proceed', viable],
    [null, 3, 'proceed', viable],
    [null, 1, 'restart', { kind: 'restart', why: 'no score' }],
    [null, 3, 'restart', limit],
    [null, 1, 'fail', { kind: 'fail' }],
    [null, 3, 'fail', { kind: 'fail' }],
  ])('score %s in iteration %d, without a score %s', (score, iteration, on_missing_score, step) => {
    expect(nextStep({ score, iteration, settings: { ...settings, on_missing_score } })).toEqual(step);
  });

  test('whatever the critic says, planning begins at most so often', () => {
    fc.assert(
      fc.property(
        fc.infiniteStream(fc.option(fc.integer({ min: 0, max: 100 }))),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom('restart' as const, 'proceed' as const, 'fail' as const),
        (scores, max_planning_iterations, on_missing_score) => {
          let iteration = 1;
          for (const score of scores) {
            const step = nextStep({
              score,
              iteration,
              settings: { ...settings, max_planning_iterations, on_missing_score },
            });
            if (step.kind !== 'restart') break;
            iteration += 1;
          }
          expect(iteration).toBeLessThanOrEqual(max_planning_iterations);
        },
      ),
    );
  });
});

describe('the best iteration', () => {
  test.each<[string, Array<number | null>, number | undefined]>([
    ['the best score', [15, 45, 30], 1],
    ['of equals the later one', [45, 15, 45], 2],
    ['one without a score is below any', [null, 0, null], 1],
    ['of those without a score the last', [null, null], 1],
    ['none', [], undefined],
  ])('%s', (_, scores, index) => {
    const iterations = scores.map((score) => ({ score }));
    expect(bestOf(iterations)).toBe(index === undefined ? undefined : iterations[index]);
  });
});
