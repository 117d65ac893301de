import { expect, test } from 'vitest';
import { saidIn } from '../../../../src/workflows/orchestration/rules/written-answer.ts';

const begun = '{"name": "new_answer", "arguments": {"content": "';

test.each([
  ['in the middle of its answer', `${begun}It is 4, sin`, 'It is 4, sin'],
  ['behind its answer', `${begun}It is 4."`, 'It is 4.'],
  ['before its last bracket', `${begun}It is 4."}`, 'It is 4.'],
  ['in an escape', `${begun}a\\nb\\`, 'a\nb'],
  [
    'in a fence, with line breaks as they are',
    '```json\n{\n "name": "new_answer",\n "parameters": {"content": "a\nb',
    'a\nb',
  ],
  ['in an escape that is none', `${begun}a \\x b`, 'a \\x b'],
])('a call of new_answer that ends %s says its answer', (_, text, said) => {
  expect(saidIn(text)).toBe(said);
});

test.each([
  'It is 4.',
  '',
  '{"name": "new_answer"}',
  '{"name": "vote", "arguments": {"agent_id": "agent1',
  `Write ${begun}It is 4`,
  `${begun}It is 4."}} and so on`,
])('any other text stays as it is: %s', (text) => {
  expect(saidIn(text)).toBe(text);
});
