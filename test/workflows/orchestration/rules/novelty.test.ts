import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  noveltyProblem,
  wordOverlap,
  type NoveltyRequirement,
} from '../../../../src/workflows/orchestration/rules/novelty.ts';

const shown = (content: string) => [{ name: 'agent2', content }];

describe('novelty', () => {
  test.each<[string, string, string, NoveltyRequirement, string | undefined]>([
    ['the same text is a duplicate', 'Use Postgres.', 'Use Postgres.', 'lenient', 'duplicate'],
    ['case and space do not make it new', ' use   POSTGRES. ', 'Use Postgres.', 'lenient', 'duplicate'],
    ['lenient takes any other text', 'Use Postgres now.', 'Use Postgres.', 'lenient', undefined],
    ['balanced refuses an overlap of 75%', 'a b c', 'a b c d', 'balanced', 'not_novel'],
    ['balanced takes an overlap of 60%', 'a b c', 'a b c d e', 'balanced', undefined],
    ['strict refuses an overlap of 60%', 'a b c', 'a b c d e', 'strict', 'not_novel'],
    ['strict takes an overlap of exactly 50%', 'a b', 'a b c d', 'strict', undefined],
  ])('%s', (_, answer, other, requirement, kind) => {
    expect(noveltyProblem(answer, shown(other), requirement)?.kind).toBe(kind);
  });

  test('a first answer, written without having seen any, is never refused', () => {
    fc.assert(fc.property(fc.string(), (answer) => noveltyProblem(answer, [], 'strict') === undefined));
  });

  test('overlap is symmetric and between 0 and 1', () => {
    fc.assert(
      fc.property(fc.lorem(), fc.lorem(), (one, other) => {
        const overlap = wordOverlap(one, other);
        expect(overlap).toBe(wordOverlap(other, one));
        expect(overlap).toBeGreaterThanOrEqual(0);
        expect(overlap).toBeLessThanOrEqual(1);
      }),
    );
  });
});
