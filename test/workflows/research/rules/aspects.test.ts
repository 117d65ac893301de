import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aspectScoresIn } from '../../../../src/workflows/research/rules/aspects.ts';

const aspects = ['feasibility', 'data_quality'];
const both = { feasibility: 70, data_quality: 40 };

describe('scores for the aspects in free text', () => {
  test.each<[how: string, text: string]>([
    ['lines', 'Feasibility: 70/100\nData quality: 40/100'],
    ['a list with emphasis', '- **Feasibility:** 70/100, since it is known\n- **Data quality**: 40/100. Little.'],
    ['numbers of a list', '1. Feasibility - 70\n2. Data-Quality - 40'],
    ['a table', '| Aspect | Score |\n|---|---|\n| Feasibility | 70 |\n| data_quality | 40/100 |'],
    ['a sentence', 'Feasibility is 70, data quality is 40.'],
    ['other scales', 'feasibility: 7/10\ndata quality: 2 out of 5'],
    ['percentages', 'Feasibility score: 70 %\nData quality score: 40%'],
    ['JSON', '{\n  "feasibility": 70,\n  "data_quality": 40\n}'],
    ['twice the same', 'Feasibility: 70/100\nData quality: 40/100\n\nFeasibility: 70'],
    ['with a number for everything', 'Feasibility: 70\nData quality: 40\nVIABILITY SCORE: 95/100'],
  ])('as %s', (_, text) => {
    expect(aspectScoresIn(text, aspects)).toEqual(both);
  });

  test.each<[why: string, text: string]>([
    ['one aspect is missing', 'Feasibility: 70/100'],
    ['one has two', 'Feasibility: 70\nFeasibility: 60\nData quality: 40'],
    ['one is a range', 'Feasibility: 60-70\nData quality: 40'],
    ['one has a weight before it', '| Feasibility | 0.3 | 70 |\n| Data quality | 0.7 | 40 |'],
    ['one is out of range', 'Feasibility: 170\nData quality: 40'],
    ['one is negative', 'Feasibility: -70\nData quality: 40'],
    ['all may be on a scale to 10', 'Feasibility: 7\nData quality: 4'],
    ['another word only begins so', 'Feasibility-study: 70\nData qualitys: 40'],
    ['there is nothing', ''],
  ])('none, since %s', (_, text) => {
    expect(aspectScoresIn(text, aspects)).toBeUndefined();
  });

  test('any scores to 100 are read as they stand, whatever prose is around', () => {
    const score = fc.integer({ min: 0, max: 100 });
    const prose = fc.lorem({ mode: 'sentences', maxCount: 3 });
    const forms = fc.constantFrom(
      (name: string, value: number) => `${name}: ${value}/100`,
      (name: string, value: number) => `- **${name}** — ${value}/100`,
      (name: string, value: number) => `| ${name} | ${value}/100 |`,
      (name: string, value: number) => `"${name}": "${value}/100",`,
    );
    fc.assert(
      fc.property(score, score, prose, prose, forms, (one, two, before, after, form) => {
        const text = [before, form('Feasibility', one), form('data_quality', two), after].join('\n');
        expect(aspectScoresIn(text, aspects)).toEqual({ feasibility: one, data_quality: two });
      }),
    );
  });

  test('whatever the text: scores of 0 to 100 for all aspects, or none', () => {
    const word = fc.constantFrom(
      ...'feasibility data quality : | - 7 70 /10 /100 % , ; . ( ) is\n 0.3 to 1e9'.split(' '),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        const scores = aspectScoresIn(words.join(' '), ['feasibility']);
        if (scores === undefined) return;
        expect(scores['feasibility']).toBeGreaterThanOrEqual(0);
        expect(scores['feasibility']).toBeLessThanOrEqual(100);
      }),
      { numRuns: 2000 },
    );
  });

  test.each(['feasibility ', 'feasibility: ', '| ', 'feasibility | ', ' ', '(', 'feasibility (', '; ', '1 of '])(
    'a long text of %j is read to its end',
    (piece) => {
      expect(() => aspectScoresIn(piece.repeat(1e6 / piece.length), aspects)).not.toThrow();
    },
  );
});
