import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scoreIn } from '../../../../src/workflows/research/rules/score.ts';

describe('any text', () => {
  const words =
    'Viability score overall is of novelty would be if 65 7.5 / 10 100 - : ** | ( ) previous from to % # ' +
    'sixty five out . , → now iteration 1 < $ +';
  const garbled = fc.array(fc.constantFrom('\n', ...words.split(' ')), { maxLength: 40 }).map((some) => some.join(' '));

  test('gives a score of 0 to 100, or none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.lorem(), garbled), (text) => {
        const score = scoreIn(text);
        if (score === undefined) return;
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(100);
      }),
      { numRuns: 3000 },
    );
  });

  test('gives the score that its last line states, whatever prose goes before', () => {
    const prose = fc.lorem({ mode: 'sentences', maxCount: 8 });
    fc.assert(
      fc.property(prose, fc.integer({ min: 0, max: 1000 }), (text, tenths) => {
        expect(scoreIn(`${text}\n\nVIABILITY SCORE: ${tenths / 10}`)).toBe(tenths / 10);
      }),
    );
  });

  test('gives the score of a fraction whatever its base', () => {
    fc.assert(
      fc.property(fc.constantFrom(5, 10, 20, 100), fc.nat(100), (base, percent) => {
        const value = (percent * base) / 100;
        expect(scoreIn(`Viability score: ${value}/${base}`)).toBeCloseTo(percent, 3);
      }),
    );
  });

  const noise = [
    'The bands: 0-30 major flaws, 31–50 significant concerns, 51-70 moderate, 71-85 good, 86-100 excellent.',
    '| Aspect | Score |\n|---|---|\n| Feasibility | 80 |\n| Novelty | 40 |',
    '- Feasibility: 7/10\n- Novelty: 40/100',
    '## Risks',
    'A score below 51/100 means that planning starts again.',
    'In the previous iteration the viability score was 45.',
    'With better data the viability score could reach 85/100.',
    'The technical viability score is 90/100.',
    '1. Only 3 of 10 backtests were profitable, with a drawdown of 40%.',
    'It was published on 7/10/2024, costs $65 a month, and needs 12 months of data [3].',
  ];
  const lines = fc.array(fc.oneof(fc.constantFrom(...noise), fc.lorem({ mode: 'sentences', maxCount: 3 })), {
    maxLength: 8,
  });
  const score = fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10);
  const asked = fc.constantFrom(
    (value: number) => `VIABILITY SCORE: ${value}/100`,
    (value: number) => `**Viability score:** ${value} / 100`,
    (value: number) => `- *Viability Score* = **${value}/100** (moderate concerns)`,
    (value: number) => `| Viability score | ${value}/100 |`,
    (value: number) => `{"viability_score": ${value}, "feasibility_score": 80}`,
  );

  test('gives the score of the line that was asked for, whatever stands before and after it', () => {
    fc.assert(
      fc.property(lines, asked, score, lines, (before, line, value, after) => {
        expect(scoreIn([...before, line(value), ...after].join('\n\n'))).toBe(value);
      }),
      { numRuns: 500 },
    );
  });

  test('gives none where that line is not in it, or its number out of range', () => {
    fc.assert(
      fc.property(lines, asked, fc.integer({ min: 101, max: 1e9 }), lines, (before, line, value, after) => {
        expect(scoreIn([...before, line(value), ...after].join('\n\n'))).toBeUndefined();
        expect(scoreIn([...before, line(-value), ...after].join('\n\n'))).toBeUndefined();
        expect(scoreIn([...before, ...after].join('\n\n'))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  test('is read in its last 100,000 characters', () => {
    const filling = 'more of it. '.repeat(1e5);
    expect(scoreIn(`${filling}\n\nVIABILITY SCORE: 65/100`)).toBe(65);
    expect(scoreIn(`VIABILITY SCORE: 65/100\n\n${filling}`)).toBeUndefined();
  });

  const large = ['1', '1 ', ' ', '|', '# a\n', '> ', '<a', '~~', "a'", 'aB', '&nbsp;', '**'];
  const small = [
    '- _ ( ) [ . 1. 1,1 < 1/ 1- →1 a (1 🎯 ½ … http:// \\n \\boxed{ <del> |-|\n|1|\n'.split(' '),
    ['|\n', '\n', '=\n', '1/100 ', '1 = ', '1 + ', 'score ', 'score: ', 'viability ', 'one ', 'is ', 'the ', '— '],
    [
      'scale of ',
      'from 1 to ',
      'now ',
      'of 1 ',
      'if 1/10 ',
      'now 1 ',
      'iteration 1 ',
      '- 1\n',
      '{"score": 1}, ',
      '(is)',
      'a|1',
      'up from 1 to 2 ',
      'Viability score: 1/100 if ',
      `${'b|'.repeat(39)}\n|-|\n`,
    ],
  ].flat();

  test.each([...large.map((piece) => ({ piece, length: 1e6 })), ...small.map((piece) => ({ piece, length: 2e5 }))])(
    'of $length characters, made of $piece, is read to its end',
    ({ length, piece }) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      expect(() => scoreIn(`Viability score: ${text}\nViability score: 65`)).not.toThrow();
    },
  );
});
