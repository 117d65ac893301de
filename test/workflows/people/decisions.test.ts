import { expect, test } from 'vitest';
import { maxMessageChars } from '../../../src/protocol/questions.ts';
import { checkedDecision, decisionInWords } from '../../../src/workflows/people/approvals.ts';

const long = 'x'.repeat(maxMessageChars + 1);

test.each<[what: string, payload: unknown, problem: RegExp]>([
  ['nothing', undefined, /is not an object \{id, action/],
  ['no id', { action: 'allow' }, /^id is missing: .*\{id, action/],
  ['no action', { id: 't1' }, /^action is missing/],
  ['an unknown action', { id: 't1', action: 'yes' }, /^action: "yes" is not one of allow \| deny \| edit/],
  ['arguments that are no object', { id: 't1', action: 'edit', arguments: ['one'] }, /an object/],
  ['a reason that is no text', { id: 't1', action: 'deny', reason: 1 }, /^reason: 1 is not a text/],
  ['a long reason', { id: 't1', action: 'deny', reason: long }, /more than 100000/],
  ['long arguments', { id: 't1', action: 'edit', arguments: { long } }, /more than 100000/],
  ['an always that is no boolean', { id: 't1', action: 'allow', always: 'yes' }, /true or false/],
])('%s is no decision', (_, payload, problem) => {
  expect(checkedDecision(payload)).toMatch(problem);
});

test('a decision is taken with all that it has', () => {
  const decision = { id: 't1', action: 'edit', arguments: { text: 'two' }, reason: 'Better', always: false };
  expect(checkedDecision(decision)).toEqual(decision);
});

test.each([
  ['', { id: 't1', action: 'deny' }],
  ['yes', { id: 't1', action: 'allow' }],
  ['no, one is enough', { id: 't1', action: 'deny', reason: 'one is enough' }],
  ['Well…', 't1 takes yes, no with a reason, or always, or the signal approve'],
])('the words "%s"', (answer, decision) => {
  expect(decisionInWords({ questionId: 't1', answer })).toEqual(decision);
});
