import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Draft } from '../../../../src/workflows/research/context.ts';
import { isBetterDraft } from '../../../../src/workflows/research/drafts.ts';
import { nextStep, verdictOf, viabilityOf } from '../../../../src/workflows/research/rules/viability.ts';

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
  test.each([
    ['enough', 51, 'fail', 'proceed'],
    ['too little', 50.9, 'proceed', 'viability'],
    ['nothing at all', 0, 'proceed', 'viability'],
    ['none, proceed', null, 'proceed', 'proceed'],
    ['none, restart', null, 'restart', 'no_score'],
    ['none, fail', null, 'fail', 'fail'],
  ] as const)('%s', (_, score, on_missing_score, step) => {
    expect(nextStep(score, { min_viability_score: 51, on_missing_score })).toBe(step);
  });
});

describe('the best iteration', () => {
  const hit = { mark: '1.1', hit: { title: 'A', url: 'https://a.example' } };
  const found = { queries: ['a'], material: [], digests: [], hits: [hit], gaps: [] };
  const said = { text: '', content: '', verdict: '', similar: [], servesGoal: true, improve: '', queries: [] };
  const draft = (number: number, score: number | null, isSearched = true): Draft => ({
    number,
    isLast: false,
    restart: undefined,
    restarts: [],
    scope: undefined as never,
    plan: { idea: 'An idea', approach: '', queries: [] },
    approach: '',
    found: isSearched ? found : undefined,
    criticism: { ...said, score },
    similar: undefined,
    before: { calls: 0, tokens: 0, costUsd: 0 },
  });
  const best = (drafts: Draft[]): number | undefined =>
    drafts.reduce<Draft | undefined>((found, each) => (isBetterDraft(each, found) ? each : found), undefined)?.number;

  test.each([
    ['the best score', [30, 45, 40], 2],
    ['of equals the later one', [45, 45, 40], 2],
    ['any score before none', [null, 0, null], 2],
    ['without any score the last', [null, null], 2],
  ])('%s', (_, scores, number) => {
    expect(best(scores.map((score, index) => draft(index + 1, score)))).toBe(number);
  });

  test('one that was searched for comes before a better score without material', () => {
    expect(best([draft(1, 20), draft(2, 90, false)])).toBe(1);
  });

  test('one whose searches found something comes before a better score without material', () => {
    expect(best([draft(1, 20), { ...draft(2, 90), found: { ...found, hits: [] } }])).toBe(1);
    const own = { mark: '1.1', hit: { title: 'A', url: 'report:1' } };
    expect(best([draft(1, 20), { ...draft(2, 90), found: { ...found, hits: [own] } }])).toBe(1);
  });

  test('one about what the user asked for comes before a better score about something else', () => {
    expect(best([draft(1, 20), { ...draft(2, 80), criticism: { ...said, score: 80, servesGoal: false } }])).toBe(1);
  });

  test('one whose score does not count, for its prior art, comes after any score', () => {
    const known = { ...draft(2, null), criticism: { ...said, score: null, verdict: null } };
    expect(best([draft(1, 5), known])).toBe(1);
  });

  test('one without a plan never is', () => {
    expect(best([{ ...draft(1, 90), plan: undefined }])).toBeUndefined();
  });
});
