import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { GrowingAnswer } from '../../../src/cli/live/answer-text.ts';
import { drawRegion } from '../../../src/cli/live/region.ts';
import { costText, spentText } from '../../../src/client/show/spent.ts';
import type { ResearchState } from '../../../src/protocol/research.ts';
import type { SolveState } from '../../../src/protocol/plan-and-execute.ts';
import { printable } from '../../../src/util/text/printable.ts';
import type { OrchestrationState, State, TeamState } from '../../../src/protocol/state.ts';
import { durationText } from '../../../src/workflows/runtime/duration.ts';

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
  usage: { calls: 9, inputTokens: 1500, cachedInputTokens: 0, outputTokens: 451, costUsd: 0.0042, byAgent: {} },
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
const progress = ['attempt 2/3: answering', '42 s of 30 min', '9 calls'];

interface Drawn {
  state?: State;
  texts?: Record<string, string>;
  answer?: GrowingAnswer;
  progress?: string[];
  retries?: string[];
  hasKeys?: boolean;
  isOpened?: boolean;
  columns?: number;
  rows?: number;
}

const grown: GrowingAnswer = { agent: 'agent_a', text: 'It is so.\n\nAnd here is why.', isGrowing: true };

/** The lines without their colours. */
function draw({ columns = 80, rows = 24, texts = {}, ...scene }: Drawn = {}): string[] {
  const all = { state, progress, answer: undefined, texts: new Map(Object.entries(texts)), ...scene };
  return drawRegion(all, { columns, rows }).map((line) => stripVTControlCharacters(line));
}

describe('the region', () => {
  test('shows letters that JSON has as numbers', () => {
    const lines = draw({ texts: { agent_a: String.raw`{"content":"Gr\u00fc\u00dfe aus K\u00f6ln\u001b[2J` } });
    expect(lines[1]).toContain('Grüße aus Köln');
    expect(lines.join('')).not.toContain('\u001b');
  });

  test('shows each agent, the end of what it writes, and how far the run has come', () => {
    const lines = draw({ texts: { agent_a: `{"content":"It begins.\\nAnd \\"so\\" it goes on` } });
    expect(lines).toEqual([
      '',
      '  ✎ agent_a                    answering  It begins. And "so" it goes on',
      '  ✓ an_agent_with_a_long_name  answered',
      `  ✗ 東京${' '.repeat(21)}  timed out`,
      '  attempt 2/3: answering, 42 s of 30 min, 9 calls',
    ]);
  });

  test.each([
    ['{"agent_id":"agent1","reason":"It is', 'agent1: It is'],
    [String.raw`{"agent_id":"agent1", "reason":"It is \"best\""}`, 'agent1: It is "best"'],
    ['Say {"a":"b","c":"d"}', 'Say {"a":"b","c":"d"}'],
  ])('shows the values of a call without their keys: %s', (text, said) => {
    expect(draw({ texts: { agent_a: text } })[1]?.split('answering  ')[1]).toBe(said);
  });

  test('shows who does what in a research run', () => {
    const busy: ResearchState = { ...research, agents: [{ id: 'critic', state: 'criticising' }] };
    const lines = draw({ state: busy, texts: { critic: 'Feasible, but' }, progress: ['iteration 2/3: criticising'] });
    expect(lines).toEqual(['', '  ✎ critic  criticising Feasible, but', '  iteration 2/3: criticising']);
  });

  test('shows the subtasks that are carried out, and what they are while they write nothing', () => {
    const subtasks = [
      { id: 'step_4', description: 'Label the axes.' },
      { id: 'step_5', description: 'Ask for\nthe scale.' },
    ].map((each) => ({ ...each, dependsOn: [], status: 'running' as const, executions: 1 }));
    const lines = draw({
      state: { ...solving, subtasks },
      texts: { step_4: 'The labels are' },
      progress: ['executing'],
    });
    expect(lines).toEqual([
      '',
      '  ✎ step_4  answering  The labels are',
      '  ? step_5  asking     Ask for the scale.',
      '  executing',
    ]);
  });

  test('shows for whom an agent has voted', () => {
    const [first, second, third] = state.agents;
    const agents = [{ ...first, state: 'voted', vote: '東京' }, second, third] as OrchestrationState['agents'];
    expect(draw({ state: { ...state, agents } })[1]).toBe('  ✓ agent_a                    voted      for 東京');
  });

  test('the final agent is shown with what it does at the end', () => {
    const presenting: State = { ...state, phase: 'presenting', selectedAgent: 'an_agent_with_a_long_name' };
    expect(draw({ state: presenting })[2]).toContain('✎ an_agent_with_a_long_name  presenting');
  });

  test('puts what does not fit on one line on the next, and breaks no part', () => {
    const long = [...progress, '1,951 of 20,000 tokens', '$0.0042 of $0.50'];
    expect(draw({ progress: long, columns: 50 }).slice(-2)).toEqual([
      '  attempt 2/3: answering, 42 s of 30 min, 9 calls',
      '  1,951 of 20,000 tokens, $0.0042 of $0.50',
    ]);
  });

  test('shows the end of a text that is too long, and the beginning of a name', () => {
    const lines = draw({ texts: { agent_a: '東京 was the capital, and now it goes on' }, columns: 44 });
    expect(lines[1]).toBe('  ✎ agent_a         answering  … it goes on');
    expect(lines[2]).toMatch(/^  ✓ an_agent_with…  answered$/);
  });

  test('what models and configurations write cannot steer the terminal', () => {
    const evil = 'a\u001B[2Jb\u001B]52;c;cm0=\u0007c';
    const agents = state.agents.map((agent) => ({ ...agent, id: `${agent.id}${evil}` }));
    const [, line = ''] = drawRegion(
      { state: { ...state, agents }, texts: new Map([[`agent_a${evil}`, evil]]), answer: undefined, progress },
      { columns: 120, rows: 24 },
    );
    expect(stripVTControlCharacters(line)).toMatch(/agent_aabc .* abc$/);
    expect(line).not.toMatch(/\[2J|52;c/);
  });
});

// oxlint-disable-next-line no-control-regex
const emphasis = /\x1B\[\d+m/g;
// oxlint-disable-next-line no-control-regex
const steering = /[\0-\x1F\x7F-\x9F\u202A-\u202E\u2066-\u2069]/;

test('of whatever is written, no line has anything but text and emphasis', () => {
  const sign = fc.constantFrom(
    '\x1B',
    '[',
    ']',
    '52;c;',
    '\x07',
    '\x9B',
    '2J',
    'm',
    '\r',
    '\n',
    '\u202E',
    'a',
    '東',
    ' ',
  );
  fc.assert(
    fc.property(fc.string({ unit: sign, maxLength: 60 }), (text) => {
      const agents = [{ id: text, state: 'answering', answers: 0, timedOut: false, vote: text }] as TeamState['agents'];
      const lines = drawRegion(
        {
          state: { ...state, agents },
          texts: new Map([[text, text]]),
          answer: { ...grown, agent: text, text: printable(text) },
          progress,
        },
        { columns: 60, rows: 24 },
      );
      for (const line of lines) expect(line.replace(emphasis, '')).not.toMatch(steering);
    }),
  );
});

describe('the final answer as it grows', () => {
  const answer = grown;

  test('stands above the agents, under the words that it is being written', () => {
    expect(draw({ answer, texts: { agent_a: 'It is so. And here is why.' } })).toEqual([
      '',
      '  agent_a is writing the final answer:',
      '  It is so.',
      '',
      '  And here is why.',
      '',
      '  ✎ agent_a                    answering',
      '  ✓ an_agent_with_a_long_name  answered',
      `  ✗ 東京${' '.repeat(21)}  timed out`,
      '  attempt 2/3: answering, 42 s of 30 min, 9 calls',
    ]);
  });

  test('is said not to be final once it is written', () => {
    expect(draw({ answer: { ...answer, isGrowing: false } })[1]).toBe(
      '  agent_a has written this answer; it is not final yet:',
    );
  });

  test('of a chat with one agent stands there alone', () => {
    const [agent] = state.agents;
    const chat = { ...state, workflow: 'session', attempt: 0, agents: [agent] } as State;
    expect(draw({ state: chat, answer, progress: ['answering', '3 s'] })).toEqual([
      '',
      'It is so.',
      '',
      'And here is why.',
      '',
      '  answering, 3 s',
    ]);
  });

  test('has room for its end on a screen of few rows, and the region never has more lines than the screen', () => {
    const long = { ...answer, text: Array.from({ length: 90 }, (_, index) => `Line ${index}`).join('\n') };
    for (const rows of [3, 6, 9, 24, 50]) {
      const lines = draw({ answer: long, rows });
      expect(lines.length).toBeLessThanOrEqual(Math.max(rows, 5));
      if (rows >= 9) expect(lines).toContain('  Line 89');
    }
    expect(draw({ answer: long, rows: 24 })).toHaveLength(23);
  });

  test('what is tried again stands above how far the run has come, and gives way where there is no room', () => {
    const retry = '⚠️ [agent_a] openai gpt at http://127.0.0.1:9: 429 Slow down; try 5 in 12 s';
    const lines = draw({ retries: [retry], columns: 44 });
    expect(lines.slice(4)).toEqual([
      '  ⚠️ [agent_a] openai gpt at',
      '    http://127.0.0.1:9: 429 Slow down; try',
      '    5 in 12 s',
      '  attempt 2/3: answering, 42 s of 30 min',
      '  9 calls',
    ]);
    for (const rows of [6, 7, 9, 24])
      expect(draw({ retries: [retry, retry, retry], hasKeys: true, columns: 44, rows }).length).toBeLessThanOrEqual(
        Math.max(rows, 7),
      );
  });

  test('a narrow terminal shows how to leave', () => {
    expect(draw({ hasKeys: true, columns: 30 }).at(-1)).toMatch(/^ {2}q leave, a answer/);
  });

  test.for([200, 80, 44, 28, 12, 3])('no line is wider than a terminal of %i columns', (columns) => {
    const text = '東京 and café 👩‍👩‍👧 and so on, '.repeat(20);
    const rest = { answer: { ...answer, text }, isOpened: true, hasKeys: true, retries: [text] };
    const texts = { agent_a: text, 東京: text };
    for (const line of [...draw({ texts, answer: { ...answer, text }, columns }), ...draw({ texts, ...rest, columns })])
      expect(stringWidth(line)).toBeLessThan(columns);
  });
});

test('lengths of time and spending', () => {
  expect([0, 42_400, 200_000, 1_800_000, 7_500_000, 7_200_000, -5].map((each) => durationText(each))).toEqual([
    '0 s',
    '42 s',
    '3 min 20 s',
    '30 min',
    '2 h 5 min',
    '2 h',
    '0 s',
  ]);
  expect(spentText({ calls: 1, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, costUsd: 0 })).toBe(
    '1 call, 0 tokens, $0.0000',
  );
  expect(costText({ calls: 1, tokens: 1, costUsd: 0 })).toBe('1 call, 1 token, $0.0000');
  expect(costText({ calls: 8.54, tokens: 1950.6, costUsd: 0.00416 })).toBe('8.5 calls, 1,951 tokens, $0.0042');
});
