import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Branches } from '../../../src/workflows/custom-code/custom-turn.ts';
import { newest } from '../../../src/workflows/custom-code/newest.ts';

const conversation = fc.array(fc.constantFrom('a', 'b'), { maxLength: 5 });

test('a conversation continues the longest known one that it begins with', () => {
  fc.assert(
    fc.property(fc.array(conversation), conversation, (known, wanted) => {
      const branches = new Branches<string, string>();
      for (const messages of known) branches.set(messages, messages.join(''));
      const begins = known
        .filter((messages) => messages.length > 0 && messages.every((each, index) => each === wanted[index]))
        .map((messages) => messages.length);
      const length = Math.max(0, ...begins);
      const place = length === 0 ? undefined : wanted.slice(0, length).join('');
      expect(branches.find(wanted)).toEqual({ place, length });
    }),
  );
});

test.each([
  [0, []],
  [2, []],
  [3, ['ccc']],
  [5, ['bb', 'ccc']],
  [100, ['a', 'bb', 'ccc']],
])('the newest messages that fit into %i characters are kept', (characters, kept) => {
  const messages = ['a', 'bb', 'ccc'].map((content) => ({ content }));
  expect(newest(messages, characters).map(({ content }) => content)).toEqual(kept);
});
