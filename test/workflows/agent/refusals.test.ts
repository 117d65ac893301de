import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReplyCall } from '../../../src/protocol/model-call.ts';
import { Refusals } from '../../../src/workflows/agent/refusals.ts';
import type { ToolAnswer } from '../../../src/workflows/agent/tool-executor.ts';

const said = / was refused before .* will be refused again/;

/** A short word for what comes of a call: its name, its argument, and how it ends (`!` refused, `?` failed, else ok). */
function answerOf(word: string): ToolAnswer {
  const [, name = '', argument = '', end = ''] = /^(\w)(\d)(.*)$/.exec(word) ?? [];
  const call: ReplyCall = { id: 'c', name, input: { argument } };
  if (end === '') return { call, status: 'ok', text: 'Fine', content: 'Fine' };
  const text = `Error: ${end.slice(1) || 'no'}`;
  return { call, status: 'error', text, content: text, ...(end.startsWith('!') && { isRefused: true }) };
}

/** What comes of calls, each in a reply of its own: which are told that they were refused before, and after how many it ends. */
function course(words: string[], refusals = new Refusals()) {
  const told: number[] = [];
  let ended: number | undefined;
  for (const [index, word] of words.entries()) {
    if (said.test(refusals.answerTo(answerOf(word), `reply ${index}`).text)) told.push(index + 1);
    if (refusals.end !== undefined) ended ??= index + 1;
  }
  return { told, ended };
}

describe('the same call that is refused for the same reason is told so the second time, and ends its agent the third time', () => {
  test.each<[rule: string, calls: string, told: number[], ended: number | undefined]>([
    ['one refusal is only told', 'a1!', [], undefined],
    ['the second one says so', 'a1! a1!', [2], undefined],
    ['the third one ends it', 'a1! a1! a1!', [2, 3], 3],
    ['another tool is another call', 'a1! b1! a1! b1!', [3, 4], undefined],
    ['other arguments are another call', 'a1! a2! a3! a4!', [], undefined],
    ['another reason is another refusal', 'a1!x a1!y a1!z', [], undefined],
    ['other refusals in between change nothing', 'a1! b1! a1! c1! a1!', [3, 5], 5],
    ['a call that succeeds begins anew', 'a1! a1! b1 a1! a1!', [2, 5], undefined],
    ['a tool that ran and failed is no success', 'a1! b1? a1! a1!', [3, 4], 4],
    ['a tool that ran and failed is not refused', 'a1? a1? a1? a1?', [], undefined],
    ['calls that succeed are not refused', 'a1 a1 a1 a1', [], undefined],
  ])('%s', (_, calls, told, ended) => {
    expect(course(calls.split(' '))).toEqual({ told, ended });
  });

  test('the reason names the tool and the refusal', () => {
    const refusals = new Refusals();
    course(['a1!not run', 'a1!not run', 'a1!not run', 'b1!', 'b1!', 'b1!'], refusals);
    expect(refusals.end).toBe('the same call of a was refused 3 times: not run');
  });

  test('the same call several times in one reply counts once, since its model had not seen the refusal yet', () => {
    const refusals = new Refusals();
    const texts = ['1', '1', '1', '2', '2'].map((reply) => refusals.answerTo(answerOf('a1!'), reply).text);
    expect(texts.map((text) => said.test(text))).toEqual([false, false, false, true, true]);
    expect(refusals.end).toBeUndefined();
  });

  test('arguments that do not fit are the same if the model wrote the same, and unknown ones are never the same', () => {
    const bad = (digest?: string): ToolAnswer => {
      const call = { id: 'c', name: 'a', error: 'no', ...(digest !== undefined && { digest }) };
      return { call, status: 'error', text: 'Error: no', content: 'Error: no', isRefused: true };
    };
    const endAfter = (answers: ToolAnswer[]): string | undefined => {
      const refusals = new Refusals();
      for (const [index, answer] of answers.entries()) refusals.answerTo(answer, String(index));
      return refusals.end;
    };
    expect(endAfter([bad('x'), bad('x'), bad('x')])).toContain('of a was refused 3 times');
    expect(endAfter([bad('x'), bad('y'), bad('z')])).toBeUndefined();
    expect(endAfter([bad(), bad(), bad()])).toBeUndefined();
  });
});

test('an agent ends only with a call that was refused three times since the last success', () => {
  const word = fc.constantFrom('a1!', 'a2!', 'b1!', 'b1!x', 'a1', 'b1?');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), (words) => {
      const first = words.findIndex((each, index) => {
        const since = words.slice(words.slice(0, index).lastIndexOf('a1') + 1, index + 1);
        return each.includes('!') && since.filter((other) => other === each).length === 3;
      });
      expect(course(words).ended).toBe(first === -1 ? undefined : first + 1);
    }),
  );
});
