import { expect, test } from 'vitest';
import { difference } from './compare.ts';

const same: Array<[rule: string, shown: string, printed: string]> = [
  ['the time of a line of progress', 'Task: a', '[2026-01-18 17:09:44] Task: a'],
  ['a run’s id', 'Run ask-x3f9k2m7', 'Run ask-t3q9abcd'],
  ['an address', 'at localhost:7233', 'at 127.0.0.1:42953'],
  ['a duration', '2 attempts, 1 s, 4 min 12 s left', '2 attempts, 12 min 3 s, 59 s left'],
  ['tokens and costs', '12 calls, 3,143 tokens, $0.0104', '12 calls, 990 tokens, $1.20'],
  ['lines that are left out', 'a\n…\nd\n…', 'a\nb\nc\nd\ne'],
  ['no lines that are left out', '…\na\n…', 'a'],
  ['words that are left out', 'Reason: … others', 'Reason: no * (others)\\ and others'],
  [
    'what is said of a worker that starts',
    'a',
    'Replacing the background worker: keys have changed …\nBundling the workflows (once) …\na',
  ],
  [
    'agents that work at the same time',
    '💡 [a] answer 1\n💡 [b] answer 1\nVoting',
    '💡 [b] answer 1\n💡 [a] answer 1\nVoting',
  ],
  ['colors', 'a', '\u001b[1ma\u001b[22m'],
];

test.each(same)('%s may differ', (_, shown, printed) => {
  expect(difference(shown.split('\n'), printed)).toBeUndefined();
});

test.each([
  ['another word', 'a b', 'a c'],
  ['another number of calls', '2 attempts, 12 calls', '2 attempts, 13 calls'],
  ['a line that is missing', 'a\nb', 'a'],
  ['a line too many', 'a\nb', 'a\nc\nb'],
  ['lines in another order', 'a\nb', 'b\na'],
  ['a mark of time where there is text', '1 s', 'soon'],
])('%s is a difference', (_, shown, printed) => {
  expect(difference(shown.split('\n'), printed)).toContain('It has printed:');
});
