import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { screenOf, wrapped } from '../../../src/cli/live/screen.ts';

test('a terminal that does not know its size counts as one of 80 columns', () => {
  expect(screenOf({})).toEqual({ columns: 80, rows: 24 });
  expect(screenOf({ columns: 0, rows: 0 })).toEqual({ columns: 80, rows: 24 });
  expect(screenOf({ columns: 120, rows: 50 })).toEqual({ columns: 120, rows: 50 });
});

describe('a text is broken into lines', () => {
  test.for<[what: string, text: string, columns: number, lines: string[]]>([
    ['between words', 'one two three', 7, ['one two', 'three']],
    ['within a word that is too long', 'abcdefgh ij', 3, ['abc', 'def', 'gh', 'ij']],
    ['where it has lines, empty ones among them', 'one\n\ntwo', 10, ['one', '', 'two']],
    ['with the indentation of a line', '  one two', 6, ['  one', 'two']],
    ['with wide characters counted as two', '東京東京 東京', 8, ['東京東京', '東京']],
    ['never within a character', '👩‍👩‍👧👩‍👩‍👧', 3, ['👩‍👩‍👧', '👩‍👩‍👧']],
  ])('%s', ([, text, columns, lines]) => {
    expect(wrapped(text, columns)).toEqual(lines);
  });

  test('of which none is too wide, and which together have all of its words', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '東', '👩‍👩‍👧', 'é', '-') });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 20 }), (said, columns) => {
        const lines = wrapped(said, columns);
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
        expect(lines.join('').replace(/\s/g, '')).toBe(said.replace(/\s/g, ''));
      }),
    );
  });
});
