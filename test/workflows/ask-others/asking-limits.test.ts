import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askRefusal } from '../../../src/workflows/ask-others/ask-call.ts';
import { plain } from '../../../src/workflows/people/questions.ts';

const free = { asking: 0, asked: [], others: 2 };

test.each([
  ['a question', free, 'Why?', undefined],
  ['an empty one', free, ' ', 'empty'],
  ['one more than may be under way', { ...free, asking: 2 }, 'Why?', '2 questions under way'],
  ['one to nobody', { ...free, others: 0 }, 'Why?', 'no other agent'],
])('%s', (_, questions, question, refusal) => {
  const said = askRefusal(questions, question, { mode: 'agents', limit: 2 });
  if (refusal === undefined) expect(said).toBeUndefined();
  else expect(said).toContain(refusal);
});

test('however an agent asks, it is let through at most twice as often as it may have questions under way', () => {
  const questions = fc.array(fc.constantFrom('Red?', ' red? ', 'Blue?', 'Green?', ' '), { maxLength: 60 });
  fc.assert(
    fc.property(questions, fc.integer({ min: 1, max: 6 }), fc.constantFrom('agents', 'human'), (all, limit, mode) => {
      const asked: string[] = [];
      const put: string[] = [];
      for (const question of all) {
        const state = { asking: 0, asked, others: 1 };
        const rules = { limit, mode };
        if (askRefusal(state, question, rules) === undefined) {
          put.push(plain(question));
        }
        asked.push(plain(question));
      }
      expect(put.length).toBeLessThanOrEqual(2 * limit);
      if (mode === 'agents') expect(new Set(put).size).toBe(put.length);
    }),
    { numRuns: 500 },
  );
});
