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

  const large = ['1', '1 ', ' ', '|', '# a\n', '> ', '<a', '~~', "a'", 'aB', '&nbsp;', '**'];
  const small = [
    '- _ ( ) [ . 1. 1,1 < 1/ 1- →1 a (1 🎯 ½ … http:// \\n \\boxed{ <del> |-|\n|1|\n'.split(' '),
    ['|\n', '\n', '=\n', '1/100 ', '1 = ', '1 + ', 'score ', 'score: ', 'viability ', 'one ', 'is ', 'the ', '— '],
    ['scale of ', 'from 1 to ', 'now ', 'of 1 ', 'if 1/10 ', 'now 1 ', 'iteration 1 ', '- 1\n', '{"score": 1}, '],
  ].flat();

  test.each([...large.map((piece) => ({ piece, length: 1e6 })), ...small.map((piece) => ({ piece, length: 2e5 }))])(
    'of $length characters, made of $piece, is read to its end',
    ({ length, piece }) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      expect(() => scoreIn(`Viability score: ${text}\nViability score: 65`)).not.toThrow();
    },
  );
});
