import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { drawRegion } from '../../../src/cli/live/region.ts';
import { costText, durationText, spentText } from '../../../src/cli/live/spent.ts';
import type { ResearchState } from '../../../src/protocol/research.ts';
import type { SolveState } from '../../../src/protocol/plan-and-execute.ts';
import type { OrchestrationState } from '../../../src/protocol/state.ts';

const state: OrchestrationState = {
  workflow: 'orchestration',
  phase: 'answering',
  attempt: 2,
  maxAttempts: 3,
  agents: [
    { id: 'agent_a', state: 'answering', answers: 0, timedOut: false, vote: null },
    { id: 'an_agent_with_a_long_name', state: 'answered', answers: 1, timedOut: false, vote: null },
    { id: '東京', state: 'timed_out', answers: 0, timedOut: true, vote: null },
  ],
  selectedAgent: null,
  restarts: [],
  usage: {
    calls: 9,
    inputTokens: 1500,
    cachedInputTokens: 0,
    outputTokens: 451,
    costUsd: 0.0042,
    byAgent: {},
  },
};
const research: ResearchState = {
  workflow: 'research',
  phase: 'searching',
  criticism_score: null,
  should_restart_planning: false,
  restart_reason: null,
  planning_iteration: 1,
  max_planning_iterations: 3,
  idea: 'Momentum on small caps',
  iterations: [],
  agents: [
    { id: 'planner', state: 'answered' },
    { id: 'critic', state: 'waiting' },
    { id: 'writer', state: 'waiting' },
  ],
  usage: null,
};
const solving: SolveState = {
  workflow: 'planAndExecute',
  phase: 'executing',
  get_failed_subtasks: ['step_2'],
  subtasks_total: 5,
  subtasks_completed: 2,
  subtasks_failed: 1,
  subtasks_pending: 0,
  dead_ends: 0,
  retries: 1,
  max_retries: 2,
  subtasks: [],
  attachments: [],
  agents: [
    { id: 'step_4', state: 'answering' },
    { id: 'step_5', state: 'asking' },
  ],
  usage: state.usage,
};
const draw = (texts: Record<string, string>, columns: number, change: Partial<OrchestrationState> = {}): string[] =>
  drawRegion({ ...state, ...change }, new Map(Object.entries(texts)), 42_000, columns).map((line) =>
    stripVTControlCharacters(line),
  );

describe('the region', () => {
  test('shows each agent, the end of what it writes, and attempt, time, calls, tokens and cost', () => {
    const lines = draw({ agent_a: `{"content":"It begins.\\nAnd \\"so\\" it goes on` }, 80);
    expect(lines).toEqual([
      '',
      '  ✎ agent_a                    answering  It begins. And "so" it goes on',
      '  ✓ an_agent_with_a_long_name  answered',
      `  ✗ 東京${' '.repeat(21)}  timed out`,
      '  attempt 2/3, 42 s, 9 calls, 1,951 tokens, $0.0042',
    ]);
  });

  test('shows who does what in a research run, and iteration, phase and time', () => {
    expect(drawRegion(research, new Map(), 12_000, 80).map((line) => stripVTControlCharacters(line))).toEqual([
      '',
      '  ✓ planner  answered',
      '  · critic   waiting',
      '  · writer   waiting',
      '  iteration 1/3: searching, 12 s',
    ]);
  });

  test('shows what a critic writes, and what a research run has spent', () => {
    const busy: ResearchState = {
      ...research,
      phase: 'criticising',
      planning_iteration: 2,
      agents: [{ id: 'critic', state: 'criticising' }],
      usage: state.usage,
    };
    const lines = drawRegion(busy, new Map([['critic', 'Feasible, but']]), 42_000, 80);
    expect(lines.map((line) => stripVTControlCharacters(line))).toEqual([
      '',
      '  ✎ critic  criticising Feasible, but',
      '  iteration 2/3: criticising, 42 s, 9 calls, 1,951 tokens, $0.0042',
    ]);
  });

  test('shows the subtasks that are carried out, and phase, subtasks, retry and time', () => {
    const lines = drawRegion(solving, new Map([['step_4', 'The labels are']]), 42_000, 80);
    expect(lines.map((line) => stripVTControlCharacters(line))).toEqual([
      '',
      '  ✎ step_4  answering  The labels are',
      '  ? step_5  asking',
      '  executing, 2 of 5 subtasks, retry 1/2, 42 s, 9 calls, 1,951 tokens, $0.0042',
    ]);
  });

  test('shows who plans before there are subtasks', () => {
    const planning: SolveState = {
      ...solving,
      phase: 'planning',
      subtasks_total: 0,
      subtasks_completed: 0,
      retries: 0,
      agents: [{ id: 'planner', state: 'planning' }],
      usage: null,
    };
    const lines = drawRegion(planning, new Map(), 3000, 80);
    expect(lines.map((line) => stripVTControlCharacters(line))).toEqual([
      '',
      '  ✎ planner  planning',
      '  planning, 3 s',
    ]);
  });

  test.for([200, 80, 44, 28, 12, 3])('no line is wider than a terminal of %i columns', (columns) => {
    const text = '東京 and café 👩‍👩‍👧 and so on, '.repeat(20);
    for (const line of draw({ agent_a: text, 東京: text }, columns)) expect(stringWidth(line)).toBeLessThan(columns);
  });

  test('shows the end of a text that is too long, and the beginning of a name', () => {
    const lines = draw({ agent_a: '東京 was the capital, and now it goes on' }, 44);
    expect(lines[1]).toBe('  ✎ agent_a         answering  … it goes on');
    expect(lines[2]).toMatch(/^  ✓ an_agent_with…  answered$/);
  });

  test('the final agent is shown with what it does at the end', () => {
    const lines = draw({}, 80, { phase: 'presenting', selectedAgent: 'an_agent_with_a_long_name' });
    expect(lines[2]).toContain('✎ an_agent_with_a_long_name  presenting');
  });

  test('text in progress cannot steer the terminal', () => {
    const [, line] = drawRegion(state, new Map([['agent_a', 'a\u001B[2Jb\u0007c']]), 0, 80);
    expect(stripVTControlCharacters(line ?? '')).toContain('abc');
    expect(line).not.toContain('[2J');
  });
});

test('lengths of time and spending', () => {
  expect([0, 42_400, 200_000, 7_500_000, -5].map((each) => durationText(each))).toEqual([
    '0 s',
    '42 s',
    '3 min 20 s',
    '2 h 5 min',
    '0 s',
  ]);
  expect(spentText({ calls: 1, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: 0 })).toBe(
    '1 call, 0 tokens, $0.0000',
  );
  expect(costText({ calls: 8.54, tokens: 1950.6, costUsd: 0.00416 })).toBe('8.5 calls, 1,951 tokens, $0.0042');
});
