import { expect, test } from 'vitest';
import { scoreUnder } from '../../../../src/workflows/research/rules/score.ts';

test.each<[Record<string, unknown>, number | undefined]>([
  [{ criticism: 'weak', score: 45 }, 45],
  [{ criticism: 'The plan needs more data and a benchmark.', score: 51, restart: true }, 51],
  [{ criticism: 'So so.', viability_score: '7/10', score: 3 }, 70],
  [{ criticism: 'So so.', score: 150 }, undefined],
  [{ criticism: 'So so.', score: '51-70' }, undefined],
  [{ criticism: 'So so.', score: null }, undefined],
  [{ criticism: 'Viability score: 45' }, undefined],
])('the score of JSON is what stands under its key, whatever the other texts say: %j → %s', (object, score) => {
  expect(scoreUnder(object)).toBe(score);
});
