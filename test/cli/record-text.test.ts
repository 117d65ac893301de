import { expect, test } from 'vitest';
import type { RunRecord } from '../../src/client.ts';
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

test('a message or a reply of a call that has no text has no heading', () => {
  const call = {
    ...{ agent: 'a', part: 'attempt 1', purpose: 'answer', model: 'm', at: record.startedAt, turn: 0, earlier: 0 },
    ...{
      sent: [
        { role: 'user', text: 'Why?' },
        { role: 'assistant', text: '' },
      ],
      tools: [],
      toolChoice: undefined,
    },
    reply: { content: ' ', calls: [] },
  };
  const lines = linesOf({ calls: [call] } as unknown as Partial<RunRecord>);
  expect(lines.filter((line) => /^[→←]/.test(line))).toEqual(['→ user']);
});
