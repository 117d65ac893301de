import { expect, test } from 'vitest';
import { checkedDecision } from '../../src/workflows/people/approvals.ts';
import { textsProblem } from '../../src/workflows/runtime/message-problems.ts';

test.each([
  [{ answer: '' }, undefined],
  [{ answer: 'Yes', questionId: 'q1' }, undefined],
  [{ answer: 5 }, 'answer: 5 is not a text'],
  [{ answer: null }, 'answer: null is not a text'],
  [{ answer: 'Yes', questionId: ['q1'] }, 'questionId: ["q1"] is not a text'],
  [{ answer: 'Yes', questionID: 'q1' }, '"questionID" is no key of it: it is an object {questionId?, answer}'],
  [{ questionId: 'q1' }, 'answer is missing: it is an object {questionId?, answer}'],
  ['Yes', '"Yes" is not an object {questionId?, answer}'],
  [['Yes'], '["Yes"] is not an object {questionId?, answer}'],
  [null, 'null is not an object {questionId?, answer}'],
  [undefined, 'undefined is not an object {questionId?, answer}'],
  ['x'.repeat(1000), `"${'x'.repeat(59)}… is not an object {questionId?, answer}`],
])('of the message %j, the value that is wrong is named', (message, problem) => {
  expect(textsProblem(message, '{questionId?, answer}', ['answer'], ['questionId'])).toBe(problem);
});

test.each([
  [{ id: 1, action: 'allow' }, 'id: 1 is not a text'],
  [{ id: 't1', action: 'alow' }, 'action: "alow" is not one of allow | deny | edit'],
  [{ id: 't1', action: 'allow', always: 'yes' }, 'always: "yes" is not true or false'],
  [
    { id: 't1', action: 'edit', arguments: [1] },
    'arguments: [1] is not an object with all that the call is to run with',
  ],
  [{ id: 't1', action: 'deny', reason: 7 }, 'reason: 7 is not a text'],
  [
    { id: 't1', action: 'deny', why: 'No' },
    '"why" is no key of it: it is an object {id, action: "allow" | "deny" | "edit", arguments?, reason?, always?}',
  ],
])('so it is of the decision %j about a tool call', (decision, problem) => {
  expect(checkedDecision(decision)).toBe(problem);
});
