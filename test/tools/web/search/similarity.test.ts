import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closeness, similarityOf } from '../../../../src/util/text/words.ts';

describe('similarity: how much of an idea is in a text', () => {
  test.each([
    ['all of it, in other forms and another order', 'trading momentum', 'Momentum trades', 1],
    ['a share of it', 'momentum trading for small companies', 'Trading small companies', 0.75],
    ['in hundredths', 'momentum trading for very small local companies', 'Small companies trading', 0.6],
    ['two words of three are chance', 'momentum trading strategy', 'A strategy of trading', 0],
    ['numbers say nothing', 'momentum trading 7 12', 'Momentum of 7 to 12', 0],
    ['one word of several is chance', 'momentum trading strategy', 'A strategy', 0],
    ['the one word of an idea of one, which is a subject', 'momentum', 'Momentum explained', 0],
    ['a word that comes twice counts once', 'momentum momentum trading', 'Momentum trading', 1],
    ['none of it', 'momentum trading', 'Baking bread', 0],
    ['an idea without a word that says something', 'what is it', 'what is it', 0],
    ['a text without any', 'momentum trading', '', 0],
  ])('%s', (_, idea, text, expected) => {
    expect(similarityOf(idea, text)).toBe(expected);
  });
});

describe('closeness: how near two ideas are', () => {
  test.each([
    ['the same words', 'momentum trading', 'Trading momentum', 1],
    ['the shorter is in the longer', 'momentum trading', 'momentum trading for small companies', 0.67],
    ['a share of both', 'momentum trading strategy', 'momentum trading with futures', 0.67],
    [
      'sharpened by words of its own',
      'momentum trading strategy',
      'momentum trading with alternative data sentiment',
      0.5,
    ],
    ['numbers say nothing', 'momentum trading 7', 'momentum trading 12', 1],
    ['one word in common is chance', 'momentum trading', 'momentum of planets', 0],
    ['one word that is all of an idea', 'momentum', 'momentum of planets', 0],
    ['nothing in common', 'momentum trading', 'baking bread', 0],
    ['an idea without a word that says something', 'what is it', 'momentum', 0],
  ])('%s', (_, idea, other, expected) => {
    expect(closeness(idea, other)).toBe(expected);
    expect(closeness(other, idea)).toBe(expected);
  });

  test('both are shares, whatever the texts', () => {
    const words = fc.array(fc.constantFrom('momentum', 'trading', 'the', 'small', 'é', '7', '<b>')).map(String);
    fc.assert(
      fc.property(words, words, (one, other) => {
        for (const share of [closeness(one, other), similarityOf(one, other)]) {
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
