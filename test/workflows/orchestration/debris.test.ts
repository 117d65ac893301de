import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RepetitionWatch, withoutRepetition } from '../../../src/workflows/agent/repetition.ts';
import { whyDebris } from '../../../src/workflows/orchestration/rules/debris.ts';
import {
  decisionPrompt,
  decisionRepair,
  finalText,
  presentPrompt,
  toldToAgents,
} from '../../../src/workflows/orchestration/prompts.ts';

const instructions = [presentPrompt, finalText(), decisionPrompt(1, 3, undefined), decisionRepair, toldToAgents()].join(
  ' ',
);
const judge = (text: string, task = 'Name three primary colours.'): string | undefined =>
  whyDebris(text, { task, instructions });

describe('what small models have written in place of an answer is known', () => {
  test.each([
    ['', 'nothing'],
    [' \n\t', 'nothing'],
    ['This is attempt 4 of 2.', 'words of its instructions'],
    ['This is attempt 1 of 3. Call one of the two tools.', 'words of its instructions'],
    ['**Call one of the two tools.**', 'words of its instructions'],
    [
      'That decided nothing. Call `submit`, or `restart_orchestration` with what is missing as its reason.',
      'words of its instructions',
    ],
    ['Nobody sees a text alone.', 'words of its instructions'],
    ['This is attempt 2 to solve the task.\n\nThis is attempt 1 to solve the task.', 'words of its instructions'],
    ['Answer the task completely and correctly.', 'words of its instructions'],
    [
      'This is attempt 3 to solve the task. The final agent from the previous attempt was not satisfied and requested a ' +
        'restart.\n\n**Why the restart was requested:**\nname in the reason\n\n**Best answer so far:**\n<answer>\nRed\n</answer>\n\n' +
        'Please take these insights into account as you work on providing a better answer.',
      'words of its instructions',
    ],
    ['You are the final agent of a team.', undefined],
    ['You can choose a different tool.', 'of its tools'],
    ['The original function `new_answer` should be called with `new_answer`.', 'of its tools'],
    ['I will call the tool to submit the answer.', 'of its tools'],
    ['submit(confirmed=True)', 'of its tools'],
    ['{"name": "restart_orchestration", "arguments": {}}', 'of its tools'],
    ['nw_answer', 'the name of a tool'],
    ['`now_answer()`.', 'the name of a tool'],
    ['I like red. '.repeat(60), 'the same over and over'],
    [`Red, blue and yellow. ${'a Qwen, '.repeat(80)}a Q`, 'the same over and over'],
    [`The colours:\n${'- Red\n'.repeat(90)}`, 'the same over and over'],
    ['1, 2, 3 and so on and so on, '.repeat(40), 'the same over and over'],
  ])('%j', (text, why) => {
    const found = judge(text);
    if (why === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(why);
  });
});

/** By `npm run test:llm`, in place of a call; long ones without their middle. `why` is null where nobody could tell without knowing. */
const replies = JSON.parse(
  readFileSync(new URL('../../fixtures/small-replies.json', import.meta.url), 'utf8'),
) as Array<Record<'model' | 'task' | 'text', string> & { why: string | null }>;

test('of 69 replies that two small models really gave, the 35 that can be no answer are known', () => {
  expect(replies).toHaveLength(69);
  expect(replies.map(({ task, text }) => judge(text, task) ?? null)).toEqual(replies.map(({ why }) => why));
});

test.each([
  ['a word that is the task', 'Hello', 'Hello'],
  ['what was to be said again', 'The quick brown fox jumps.', 'Say once more: The quick brown fox jumps.'],
  ['the task as the heading of an answer', '## Task\n\nName three.\n\n## Answer\n\nRed, blue, yellow.', 'Name three.'],
  ['a name that was asked for', 'old_answer', 'Which of the variables old_answer and a2 is unused?'],
  ['a question in return', 'Do you mean the capital of today?', 'What is the capital of France?'],
  ['the marks of a chat template, in code', 'ChatML ends a turn with `<|im_end|>`.', 'How does ChatML end a turn?'],
  ['the same without code, where it was asked for', '<|im_end|>', 'What ends a turn that <|im_start|> begins?'],
])('%s is an answer', (_, text, task) => expect(judge(text, task)).toBeUndefined());

const table = `| Name | Value |\n| --- | --- |\n${Array.from({ length: 60 }, (_, row) => `| Item ${row} | yes |`).join('\n')}`;
const json = JSON.stringify(
  Array.from({ length: 80 }, (_, id) => ({ id, name: 'An item', tags: ['a', 'b'] })),
  null,
  2,
);
const code = Array.from({ length: 50 }, (_, line) => `  items.push(makeItem(${line}, { isNew: true }));`).join('\n');

describe('what models usually write is left alone', () => {
  test.each([
    ['a word', 'Paris'],
    ['a number', '42'],
    ['a number with a unit', '7 apples'],
    ['a dash', '—'],
    ['a code of digits', '0000 0000 0000'],
    ['a sentence', 'The capital of France is Paris.'],
    ['a refusal', 'I cannot help with that.'],
    ['a list', '1. Red\n2. Blue\n3. Yellow'],
    ['another script', '三原色是红、蓝、黄。'],
    ['a table with rows that are alike', table],
    ['JSON with objects that are alike', json],
    ['code with lines that are alike', code],
    ['a rule of dashes', `Above\n${'-'.repeat(900)}\nBelow`],
    ['a drawing', `${'='.repeat(600)}\n`],
    ['zeros', '0 '.repeat(500)],
    [
      'a long text that mentions a tool',
      `Use a torque tool. ${'Each bolt has its own number and place in the frame, see there. '.slice(0, 60)}${'x'.repeat(3)} `.concat(
        Array.from({ length: 40 }, (_, n) => `Bolt ${n} comes after bolt ${n - 1}.`).join(' '),
      ),
    ],
    [
      'a poem with a refrain',
      Array.from(
        { length: 12 },
        (_, verse) => `Verse ${verse} has words of its own,\nAnd the wind blows over the sea.`,
      ).join('\n'),
    ],
  ])('%s', (_, text) => {
    expect(judge(text)).toBeUndefined();
  });

  test('a text on tools, where the task is about them', () => {
    expect(judge('Call the tool `new_answer`.', 'Which tool does an agent call with its answer?')).toBeUndefined();
  });

  test('any text of words that do not repeat', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 4, maxLength: 12, unit: 'grapheme' }), { minLength: 3, maxLength: 200 }),
        (words) => {
          expect(withoutRepetition(words.join(' '))).toBeUndefined();
        },
      ),
    );
  });
});

test('of a loop that counts, the first round is left', () => {
  const rounds = Array.from({ length: 60 }, (_, n) => `### ${n + 1}.\n\nThe answer is to answer as the user suggests.`);
  const rest = withoutRepetition(`Two ways:\n\n${rounds.join('\n\n')}`);
  expect(rest).toContain(rounds[0]);
  expect(rest).not.toContain(rounds[2]);
});

test('of a loop without rounds nothing is left, and of what came before it all', () => {
  const rounds = Array.from({ length: 200 }, (_, n) => (n % 7 < 3 ? 'the best answer to' : 'what was'));
  const before = 'Paris has been the capital of France for more than ten centuries, with short breaks.';
  expect(withoutRepetition(`${before}\n\n${rounds.join(' ')}${'WhatWas'.repeat(90)}${'＆'.repeat(460)}`)).toBe(before);
});

test('of a loop one round is left, and all that came before it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 60, max: 200 }), (length, times) => {
      const unit = Array.from({ length }, (_, index) => String.fromCharCode(97 + ((index * 7) % 26))).join('');
      const rest = withoutRepetition(`Before it: ${`${unit}|`.repeat(times)}`);
      if ((length + 1) * times < 800) return;
      expect(rest?.startsWith('Before it: ')).toBe(true);
      expect(rest!.length).toBeLessThan('Before it: '.length + 2 * (length + 2));
    }),
  );
});

describe('a text that grows', () => {
  const isEnded = (text: string): boolean => {
    const watch = new RepetitionWatch();
    return (text.match(/[^]{1,7}/g) ?? []).some((piece) => watch.add(piece));
  };

  test.each([
    ['a short phrase for ever', 'Red. '.repeat(2000)],
    ['a line for ever', `The answer: ${'- Red is a primary colour, and so is blue.\n'.repeat(400)}`],
    ['a paragraph for ever', `${'It is '.repeat(60)}!`.repeat(80)],
    [
      'a sentence for ever, with a number that counts on',
      Array.from({ length: 200 }, (_, n) => `### ${n}.\n\nThe answer is to answer as the user suggests.`).join('\n\n'),
    ],
    [
      'a few words in ever another order',
      Array.from({ length: 600 }, (_, n) => ['what was', 'the best', 'answer to'][((n * n) % 7) % 3]).join(' '),
    ],
    ['a picture for ever', '🎉'.repeat(3000)],
  ])('%s is ended', (_, text) => {
    expect(isEnded(text)).toBe(true);
  });

  test.each([
    ['a table with rows that are alike', table],
    [
      'a long table with rows that are alike',
      Array.from({ length: 3000 }, (_, row) => `| Item ${row} | yes |`).join('\n'),
    ],
    ['JSON with objects that are alike', json],
    ['code with lines that are alike', code],
    ['what somebody has asked to be said a hundred times', 'I must not talk in class.\n'.repeat(100)],
    ['zeros', '0 '.repeat(9000)],
    [
      'a plan of days whose numbers differ',
      Array.from(
        { length: 90 },
        (_, n) => `On day ${n + 1} you eat ${(n * 37) % 90} grams of rice with two eggs.`,
      ).join('\n'),
    ],
  ])('%s is not', (_, text) => {
    expect(isEnded(text)).toBe(false);
  });
});
