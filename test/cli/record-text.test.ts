import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../src/client.ts';
import { textOf as inboxText } from '../../src/cli/commands/inbox.ts';
import { Shell, type Output, type Surroundings } from '../../src/cli/shell.ts';
import { recordText } from '../../src/cli/show/record-text.ts';

const none = { calls: 1, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: 0 };
const record: RunRecord = {
  id: 'q1',
  workflow: 'orchestration',
  status: 'running',
  outcome: null,
  failure: null,
  question: 'Why?',
  startedAt: '2026-11-22T11:00:00.000Z',
  endedAt: null,
  result: null,
  workspace: null,
  state: null,
  waiting: [],
  steps: [],
  notes: [],
  warnings: [],
  usage: { ...none, byAgent: {} },
};

const linesOf = (change: Partial<RunRecord>, columns = Infinity): string[] =>
  recordText({ ...record, ...change }, { columns, plain: true, colors: false }).split('\n');

test('what is said and is the answer too stands below alone, without a heading over nothing', () => {
  const at = '2026-11-22T11:00:01.000Z';
  const said = { at, turn: 0, part: 'attempt 1', type: 'said', agent: 'a', purpose: 'answer' } as const;
  const result = { workflow: 'orchestration', answer: 'So.', finalAgent: 'a' } as RunRecord['result'];
  const lines = linesOf({
    result,
    steps: [
      { ...said, text: 'Let me see.' },
      { ...said, text: 'So.' },
    ],
  });
  expect(lines.filter((line) => line === 'a says')).toHaveLength(1);
  expect(lines.join('\n')).toMatch(/── Answer, by a ─+\n  So\./);
});

/** A call of a model, as far as it does not matter here. */
const bare = { agent: 'a', part: '', purpose: '', model: 'm', at: record.startedAt, turn: 0, earlier: 0 };

test('a message or a reply of a call that has no text has no heading', () => {
  const call = {
    ...bare,
    sent: [
      { role: 'user', text: 'Why?' },
      { role: 'assistant', text: '' },
    ],
    tools: [],
    reply: { content: ' ', calls: [] },
  };
  const lines = linesOf({ calls: [call] } as unknown as Partial<RunRecord>);
  expect(lines.filter((line) => /^[→←]/.test(line))).toEqual(['→ user']);
});

test.each([40, 60])('a heading too is no wider than %d columns', (columns) => {
  const at = '2026-11-22T11:00:01.000Z';
  const part = `subtask ${'long '.repeat(20)}`;
  const lines = linesOf(
    { steps: [{ at, turn: 2, part, type: 'said', agent: 'a', purpose: '', text: 'Hm.' }] },
    columns,
  );
  expect(lines.filter((line) => line.length > columns)).toEqual([]);
});

test('how many tokens a call has had says when nobody has counted them', () => {
  const call = {
    ...bare,
    sent: [],
  };
  const factsOf = (estimated: object) =>
    linesOf({
      calls: [{ ...call, tools: [], usage: { inputTokens: 1200, outputTokens: 30, ...estimated } }],
    } as unknown as Partial<RunRecord>).find((line) => line.includes('tokens in'));
  expect(factsOf({ estimated: true })).toBe('  under way, about 1,200 tokens in, about 30 out');
  expect(factsOf({})).toBe('  under way, 1,200 tokens in, 30 out');
});

test('times are local ones, with the day where it is not today', () => {
  const now = new Date();
  const noon = new Date(now.getFullYear(), now.getMonth(), now.getDate(), 12, 5, 9);
  const before = new Date(2025, 11, 30, 23, 5, 9);
  const linesAt = (startedAt: Date): string[] => linesOf({ startedAt: startedAt.toISOString() });
  expect(linesAt(noon)).toContain('  12:05:09 to now');
  expect(linesAt(before)).toContain('  2025-12-30 23:05:09 to now');
});

describe('on a terminal', () => {
  const textTo = async (stdout: Partial<Output>, text: string): Promise<string> => {
    let written = '';
    const write = (chunk: string, done: () => void): void => {
      written += chunk;
      done();
    };
    const shell = { stdout: { ...stdout, write }, stderr: {}, stdin: {}, env: {}, cwd: '/' };
    await new Shell(shell as unknown as Surroundings).printText(text);
    return written;
  };
  const long = 'one two three four five six seven eight nine ten eleven';

  test('an answer breaks between words, but not its code and tables', async () => {
    const whole = ['```sh', long, '```', `| ${long} |`].join('\n');
    const terminal = { isTTY: true, columns: 30 };
    expect(await textTo(terminal, `- ${long}\n${whole}`)).toBe(
      `- one two three four five six\nseven eight nine ten eleven\n${whole}\n`,
    );
  });

  test('and elsewhere nowhere', async () => {
    expect(await textTo({ columns: 30 }, long)).toBe(`${long}\n`);
  });

  test('what the inbox shows of a question breaks between words, and commands are whole', () => {
    const question = { workflowId: 'q1', questionId: 'q1', kind: 'question', from: 'agent_a', question: long } as const;
    const temporal = 'temporal.example.com:7233';
    const task = 'A page for the bakery of the village, with its hours and its bread';
    const waiting = { ...question, task, askedAt: '', expiresAt: null };
    const stdout = { isTTY: true, columns: 30 } as Output;
    expect(inboxText(waiting, { stdout, typed: (text) => text }, temporal).split('\n')).toEqual([
      'q1 (A page for the bakery of',
      'the village, with its hours',
      'and…): agent_a asks (q1)',
      '  one two three four five six',
      '  seven eight nine ten eleven',
      `  reprise answer q1 --question q1 --temporal ${temporal} "…"`,
    ]);
  });
});
