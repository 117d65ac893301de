import { expect, test } from 'vitest';
import { pythonList, pythonString, summaryText } from '../../../src/workflows/plan-and-execute/log-lines.ts';

test.each([
  ['step_2', "'step_2'"],
  ['', "''"],
  ["the paper's axes", `"the paper's axes"`],
  ['the "axes"', `'the "axes"'`],
  [`the paper's "axes"`, String.raw`'the paper\'s "axes"'`],
  ['C:\\new\n\ttab\r', String.raw`'C:\\new\n\ttab\r'`],
  ['\u0000\u001b\u00a0\u2028\u{e0001}\ud800', String.raw`'\x00\x1b\xa0\u2028\U000e0001\ud800'`],
  ['Größe 漢字 🎯', "'Größe 漢字 🎯'"],
])('a text is printed as Python does: %j', (text, printed) => {
  expect(pythonString(text)).toBe(printed);
});

const labels = ['Extract figure labels', 'Analyze axes'];

test.each([
  ['none', [], undefined, '[]'],
  ['all', ['step_2', 'step_3'], undefined, "['step_2', 'step_3']"],
  ['as many as are shown', labels, 2, "['Extract figure labels', 'Analyze axes']"],
  ['more than are shown', [...labels, 'Compare'], 2, "['Extract figure labels', 'Analyze axes', ...]"],
])('a list: %s', (_, texts, most, printed) => {
  expect(pythonList(texts, most)).toBe(printed);
});

test("the state's summary is the document's", () => {
  const summary = { subtasks_total: 9, subtasks_completed: 5, subtasks_failed: 2, subtasks_pending: 2 };
  expect(summaryText({ ...summary, dead_ends: 2 })).toBe(
    "State summary: {\n  'subtasks_completed': 5,\n  'subtasks_failed': 2,\n  'dead_ends': 2\n}",
  );
});
