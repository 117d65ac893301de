import { expect, test } from 'vitest';
import { analysisIn, analysisOf } from '../../../../src/workflows/plan-and-execute/rules/subtask-graph.ts';

const loop = 'list_of_data_type_to_table_column_name_'.repeat(12);

test.each([
  [['The town', 'Its growth'], 'one name', { requirements: ['The town', 'Its growth'], answerFormat: 'one name' }],
  [['type', 'type', 'name', 'type'], 'json', { requirements: ['type', 'name'], answerFormat: 'json' }],
  [['The town', loop], loop, { requirements: ['The town'], answerFormat: 'a text' }],
  [[loop, `${loop}list`], 'one name', undefined],
])('of an analysis is kept what is said once, and no loop: %#', (requirements, answer_format, kept) => {
  expect(analysisOf({ requirements, answer_format })).toEqual(kept);
  expect(analysisIn(`So: ${JSON.stringify({ requirements, answer_format })}`)).toEqual(kept);
});

test('a list is an analysis, and other prose is none', () => {
  expect(analysisIn('1. The town\n2. Its growth')?.requirements).toEqual(['The town', 'Its growth']);
  expect(analysisIn('The most growing town is A.')).toBeUndefined();
});
