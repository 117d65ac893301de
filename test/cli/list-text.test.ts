import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { listText } from '../../src/cli/commands/list.ts';
import { ageText } from '../../src/client/show/progress.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import type { ListedRun } from '../../src/client.ts';

const now = Date.parse('2026-11-22T12:00:00Z');

const run = (change: Partial<ListedRun>): ListedRun => ({
  id: 'ask-x3f9k2m7',
  workflow: 'orchestration',
  question: 'Which database suits a team of five, of whom two work from home and one travels a lot?',
  status: 'completed',
  outcome: 'submitted',
  startedAt: '2026-11-22T11:00:00Z',
  endedAt: '2026-11-22T11:01:00Z',
  spent: { calls: 8, inputTokens: 1200, cachedInputTokens: 0, outputTokens: 300, costUsd: 0.0123 },
  isWaiting: false,
  waiting: [],
  state: null,
  ...change,
});

const textOf = (runs: ListedRun[], columns = Infinity): string[] =>
  listText(runs, { columns, plain: true, colors: false }, now).split('\n');

const waiting: PendingQuestion = {
  kind: 'question',
  questionId: 'q1',
  from: 'agent_a',
  question: 'Dark\nor light?',
  askedAt: '',
  expiresAt: '',
};
const open = { status: 'running', outcome: null, endedAt: null } as const;

test('each run has a line with its kind, state, age, cost and id, and one with its question', () => {
  expect(textOf([run({}), run({ id: 'r1', workflow: 'research', outcome: 'iteration_limit', spent: null })])).toEqual([
    'KIND      STATE            AGE     COST  ID',
    'ask       submitted        1 h  $0.0123  ask-x3f9k2m7',
    '  Which database suits a team of five, of whom two work from home and one travels a lot?',
    'research  iteration limit  1 h        -  r1',
    '  Which database suits a team of five, of whom two work from home and one travels a lot?',
  ]);
});

test.each([40, 80, 100, 132])('in %d columns no line is wider, but for an id, which is never cut', (columns) => {
  const ids = ['q1', 'research-x3f9k2m7'];
  const question = '数据库'.repeat(40);
  const runs = ids.flatMap((id) => [run({ id, question }), run({ id, ...open, isWaiting: true, waiting: [waiting] })]);
  for (const line of textOf(runs, columns)) {
    const id = ids.find((each) => line.endsWith(each)) ?? '';
    const width = stringWidth(id === '' ? line : line.slice(0, -id.length));
    expect(width).toBeLessThanOrEqual(columns);
    if (columns >= 80) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  }
  const shown = textOf(runs, columns).join('\n');
  for (const id of ids) expect(shown).toContain(`  ${id}`);
});

const states: Array<[rule: string, change: Partial<ListedRun>, state: string]> = [
  ['a run that nobody has told of is running', open, 'running'],
  ['a question', { ...open, waiting: [waiting] }, 'waits for an answer'],
  ['a missing key', { ...open, waiting: [{ ...waiting, kind: 'key' }] }, 'waits for a key'],
  ['an approval', { ...open, waiting: [{ ...waiting, kind: 'approval' }] }, 'waits for an approval'],
  ['a run that waits and does not tell for what', { ...open, isWaiting: true }, 'waits for a person'],
  ['a run without a result', { status: 'timed_out', outcome: null }, 'timed out'],
  ['a run that was cancelled with a result', { outcome: 'cancelled' }, 'cancelled'],
];
test.each(states)('the state of %s', (_rule, change, state) => {
  expect(textOf([run(change)])[1]).toMatch(new RegExp(`^ask +${state} +1 h`));
});

test('what a run waits for stands below its question, on one line', () => {
  expect(textOf([run({ ...open, waiting: [waiting] })])[3]).toBe('  waits for an answer: agent_a (q1): Dark or light?');
});

test('a question cannot steer the terminal', () => {
  expect(textOf([run({ question: 'Which\x1B[2J one\x07?', id: 'q\x1B[1m1' })]).join('\n')).not.toMatch(
    // oxlint-disable-next-line no-control-regex
    /[\x00-\x09\x0B-\x1F\x7F-\x9F]/,
  );
});

test.each([
  [0, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [3_600_000, '1 h'],
  [86_399_999, '23 h'],
  [86_400_000, '1 d'],
  [40 * 86_400_000, '40 d'],
  [-5, '0 s'],
])('an age of %d milliseconds is %s', (milliseconds, text) => {
  expect(ageText(milliseconds)).toBe(text);
});
