import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { cutToBytes, inputProblem, jsonBytes } from '../../../src/workflows/runtime/size.ts';

const byNode = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Texts of plain letters, of what JSON escapes, of other scripts, of emoji, and of halves of pairs. */
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', '\u0001', 'é', '中', '😀', '\ud83d', '\ude00', '\u2028') }),
);

describe('the size of a value', () => {
  test.each([
    ['plain letters', 'abc', 5],
    ['Chinese takes three bytes a character', '中文', 8],
    ['what JSON escapes takes two or six', '"\n\u0001', 12],
    ['an emoji takes four', '😀', 6],
    ['half a pair is escaped', '\ud83d', 8],
    ['keys and brackets count', { key: ['a', 1, null] }, 20],
    ['nothing', undefined, 0],
  ])('%s', (_, value, bytes) => {
    expect(jsonBytes(value)).toBe(bytes);
  });

  test('is what Node counts, for any value', () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.jsonValue({ stringUnit: 'binary' })), (value) => {
        expect(jsonBytes(value)).toBe(byNode(value));
      }),
    );
  });
});

describe('a text that is cut to bytes', () => {
  test('stays as it is if it fits', () => {
    expect(cutToBytes('中文', 6)).toBe('中文');
  });

  test('ends with a line that says how much was left out', () => {
    expect(cutToBytes('x'.repeat(5000), 100)).toBe(
      `${'x'.repeat(48)}\n[… 4,952 of 5,000 characters were left out here]`,
    );
  });

  test('has no such line where there is no room for it', () => {
    expect(cutToBytes('中文字', 7)).toBe('中文');
  });

  test('is not measured character by character with the encoder, which takes a microsecond for each', () => {
    const encode = vi.spyOn(TextEncoder.prototype, 'encode');
    cutToBytes('"\n😀'.repeat(1000), 3000);
    expect(encode.mock.calls.length).toBeLessThan(10);
    encode.mockRestore();
  });

  test('fits, whatever it is, and begins like the whole, without half a character at its end', () => {
    fc.assert(
      fc.property(texts, fc.nat(200), fc.nat(60), (text, bytes, times) => {
        const whole = text.repeat(times).toWellFormed();
        const cut = cutToBytes(whole, bytes);
        expect(byNode(cut) - 2).toBeLessThanOrEqual(bytes);
        expect(cut.isWellFormed()).toBe(true);
        expect(whole.startsWith(cut.replace(/\n\[… [\d,]+ of [\d,]+ characters were left out here\]$/, ''))).toBe(true);
        expect(cutToBytes(cut, bytes)).toBe(cut);
      }),
    );
  });
});

describe('an input', () => {
  test.each([
    ['of a million bytes', { task: 'x'.repeat(999_989) }, undefined],
    ['of more', { task: 'x'.repeat(999_990) }, /^the input has 1,000,001 bytes, and may have 1,000,000/],
    ['of fewer characters than bytes', { task: '中'.repeat(400_000) }, /^the input has 1,200,011 bytes/],
    ['with attachments, as many as the server takes', { attachments: [{ data: 'x'.repeat(2_000_000) }] }, undefined],
    ['with more of them', { attachments: [{ data: 'x'.repeat(2_050_000) }] }, /2,050,015 bytes with its attachments/],
    ['with what an earlier run passes on', { earlier: 'x'.repeat(1_500_000) }, undefined],
    ['that is none', null, undefined],
    ['of lists in one another', { config: JSON.parse(`${'['.repeat(199)}${']'.repeat(199)}`) }, undefined],
    [
      'of very many',
      { config: JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) },
      /more than 200 objects and lists/,
    ],
  ])('%s', (_, input, problem) => {
    if (problem === undefined) expect(inputProblem(input)).toBeUndefined();
    else expect(inputProblem(input)).toMatch(problem);
  });
});
