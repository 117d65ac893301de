import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partThought, SaidPieces } from '../../src/models/thoughts.ts';

test.each([
  ['Qwen 3 on LM Studio', '<think>\nThe user asks…\n</think>\n\nParis.', 'Paris.'],
  ['one that has thought nothing', '<think>\n\n</think>\n\nParis.', 'Paris.'],
  ['Gemini beside its thoughts', '<thought>It is Paris.</thought>Paris.', 'Paris.'],
  ['Magistral', '[THINK]It is Paris.[/THINK]Paris.', 'Paris.'],
  ['Command A', '<|START_THINKING|>It is Paris.<|END_THINKING|>Paris.', 'Paris.'],
  ['Gemma 4', '<|channel>thought\nIt is Paris.\n<channel|>Paris.', 'Paris.'],
  ['MiniMax M3', '<mm:think>It is Paris.</mm:think>Paris.', 'Paris.'],
  ['DeepSeek R1, whose template has the first mark', 'Alright, it is Paris.\n</think>\n\nParis.', 'Paris.'],
  ['one that calls a tool behind it', 'I vote.</think><tool_call>{}</tool_call>', '<tool_call>{}</tool_call>'],
  ['one that has ended in its thought', '<think>\nParis.', '\nParis.'],
  ['one that says nothing behind it', '<think>Hm.</think>', ''],
])('what %s has thought is no part of what it says', (_, text, said) => {
  expect(partThought(text, false).said).toBe(said);
});

test.each([
  'Paris.',
  'The mark `</think>` ends it.',
  'Such as:\n```\nHm.\n</think>\n\nParis.\n```\nThat is its form.',
  'A reply has <think> first, and then </think> at its end.',
  'Write </think>, and then the answer.',
  'I think> therefore',
  '<thinker>Rodin</thinker>',
  '',
])('nothing is taken away from: %j', (text) => {
  expect(partThought(text, false)).toEqual({ thought: '', said: text });
});

test('a thought that was cut off at the limit is all of the reply', () => {
  expect(partThought('<think>\nHm, and', true)).toEqual({ thought: '<think>\nHm, and', said: '' });
});

test('nothing of a reply is lost, and what comes in pieces is what is said in the end', () => {
  const mark = fc.constantFrom('<think>', '[THINK]', '');
  const word = fc.constantFrom('a', ' ', '\n', '<', 'think', '</', 'x>');
  const texts = fc.tuple(mark, fc.array(word), fc.array(word)).map(([opening, thought, said]) => {
    const closing = opening.replace(/^./, (first) => `${first}/`);
    return opening + thought.join('') + closing + said.join('');
  });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), (text, size) => {
      const { thought, said } = partThought(text, false);
      expect(thought + said).toBe(text);
      const pieces = new SaidPieces();
      const shown = (text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []).map((piece) => pieces.add(piece)).join('');
      // A text that ends as a mark begins is held back to its end.
      expect(said.startsWith(shown) || shown.trimStart() === '').toBe(true);
      if (said.trim().length > 0 && !said.trimStart().startsWith('<')) expect(shown).toBe(said);
    }),
    { numRuns: 2000 },
  );
});
