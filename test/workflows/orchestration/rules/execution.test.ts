import { expect, test } from 'vitest';
import { asksToExecute } from '../../../../src/workflows/orchestration/rules/decision.ts';

test.each([
  [
    "Agents provided plans but didn't execute actual implementation",
    'Please actually implement the solution by modifying the files, not just describing what changes should be made',
    true,
  ],
  [
    "Agents only planned but didn't execute implementation",
    'Please actually implement the changes by modifying the files and running necessary commands. Make real changes, not just descriptions.',
    true,
  ],
  ['The plan is good.', 'Execute the plan.', true],
  ['The plan is good.', 'Now carry it out.', true],
  ['The plan lacks a step.', 'Add a step that backs up the database before the migration runs.', false],
  ['Too vague.', 'Say which files you would change, and how.', false],
])('without `execute` the words count: %s %s', (reason, instructions, expected) => {
  expect(asksToExecute({ reason, instructions })).toBe(expected);
});

test('`execute` decides, whatever the words are', () => {
  const words = { reason: 'Only a plan.', instructions: 'Actually do it.' };
  expect(asksToExecute({ ...words, execute: false })).toBe(false);
  expect(asksToExecute({ reason: 'r', instructions: 'i', execute: true })).toBe(true);
});
