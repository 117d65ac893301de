import { describe, expect, test } from 'vitest';
import type { PendingCall, RunEvent } from '../../../src/client.ts';
import { Progress } from '../../../src/cli/live/progress.ts';
import { progressOf } from '../../../src/client/show/progress.ts';
import type { ResearchState } from '../../../src/protocol/research.ts';
import type { SolveState, SubtaskStatus } from '../../../src/protocol/plan-and-execute.ts';
import type { State, TeamState } from '../../../src/protocol/state.ts';

const begin = Date.parse('2026-01-18T17:00:00.000Z');

/** An event so many seconds after the beginning. */
const event = (seconds: number, body: object): RunEvent =>
  ({ seq: 1, attempt: 1, at: new Date(begin + seconds * 1000).toISOString(), ...body }) as RunEvent;

const started = event(0, { type: 'started', task: 'Say it.', agents: [] });
const attempt = (seconds: number): RunEvent => event(seconds, { type: 'attempt', maxAttempts: 3 });
const asks = (seconds: number, questionId = 'q1'): RunEvent => event(seconds, { type: 'question', questionId });
const closed = (seconds: number, questionId = 'q1'): RunEvent =>
  event(seconds, { type: 'question_closed', questionId, how: 'answered' });

const usage = { calls: 9, inputTokens: 1500, cachedInputTokens: 0, outputTokens: 451, costUsd: 0.0042, byAgent: {} };
const team: TeamState = {
  workflow: 'orchestration',
  phase: 'answering',
  attempt: 2,
  maxAttempts: 3,
  agents: [
    { id: 'agent_a', state: 'answered', answers: 1, timedOut: false, vote: null },
    { id: 'agent_b', state: 'answering', answers: 0, timedOut: false, vote: null },
    { id: 'agent_c', state: 'timed_out', answers: 0, timedOut: true, vote: null },
  ],
  selectedAgent: null,
  restarts: [],
  usage: null,
};
const research: ResearchState = {
  workflow: 'research',
  phase: 'searching',
  criticism_score: null,
  should_restart_planning: false,
  restart_reason: null,
  planning_iteration: 2,
  max_planning_iterations: 3,
  idea: 'Momentum',
  iterations: [],
  agents: [],
  usage: null,
};
const subtasks = (...statuses: SubtaskStatus[]): Pick<SolveState, 'subtasks' | 'subtasks_total'> => ({
  subtasks: statuses.map((status, index) => ({
    id: `step_${index + 1}`,
    description: 'Do it.',
    dependsOn: [],
    status,
    executions: 1,
  })),
  subtasks_total: statuses.length,
});
const solving: SolveState = {
  workflow: 'planAndExecute',
  phase: 'preparing',
  get_failed_subtasks: [],
  subtasks_total: 0,
  subtasks_completed: 0,
  subtasks_failed: 0,
  subtasks_pending: 0,
  dead_ends: 0,
  retries: 0,
  max_retries: 2,
  subtasks: [],
  attachments: [],
  agents: [],
  usage: null,
};
const pending = (...activities: string[]): PendingCall[] =>
  activities.map((activity, index) => ({ activityId: String(index), activity, attempt: 1 }));

/** The line so many seconds after the beginning. */
function lineAt(seconds: number, state: State, events: RunEvent[] = [started], calls: PendingCall[] = []): string {
  const progress = new Progress();
  progress.see(events);
  return progress.partsOf({ state, calls }, begin + seconds * 1000).join(', ');
}

describe('how far a run has come', () => {
  test.for<[line: string, state: State, calls?: string[], events?: RunEvent[]]>([
    ['attempt 2/3: answering, 1 of 2 answered, 5 s', team],
    ['attempt 2/3: voting, 0 of 2 votes, 5 s', { ...team, phase: 'voting' }],
    ['attempt 2/3: presenting, 5 s', { ...team, phase: 'presenting' }],
    ['waits for a turn, 5 s', { ...team, workflow: 'session', phase: 'idle' }],
    ['preparing, 5 s', { ...team, phase: 'preparing', attempt: 0 }],
    ['loading tools, 5 s', { ...team, phase: 'preparing', attempt: 0 }, ['listTools']],
    ['reading attachments, 5 s', solving, ['storeAttachments']],
    [
      'executing, 2 of 5 subtasks, 2 running, retry 1/2, 5 s',
      {
        ...solving,
        ...subtasks('completed', 'completed', 'running', 'running', 'pending'),
        phase: 'executing',
        subtasks_completed: 2,
        retries: 1,
      },
    ],
    ['executing, 0 of 1 subtask, 1 running, 5 s', { ...solving, ...subtasks('running'), phase: 'executing' }],
    ['iteration 2/3: searching 1 of 2, 5 s', research, ['search', 'search']],
    ['iteration 2/3: reading 1 page, last score 42/100, 5 s', { ...research, criticism_score: 42 }, ['readPage']],
    ['iteration 2/3: waiting for approval, 5 s', { ...research, phase: 'waiting_for_approval' }],
    ['preparing, 5 s', { ...research, phase: 'preparing', max_planning_iterations: 0 }],
  ])('%s', ([line, state, calls = []]) => {
    expect(lineAt(5, state, [started], pending(...calls))).toBe(line);
  });

  test('counts the searches of the present plan, those that failed among them', () => {
    const searched = event(2, { type: 'searched', query: 'q', found: 3 });
    const failed = event(2, { type: 'gap', text: 'Not searched: "q": status 500' });
    const plan = event(3, { type: 'plan', idea: '', approach: '', queries: [] });
    const calls = pending('search', 'search');
    expect(lineAt(5, research, [started, searched, failed], calls)).toContain('searching 3 of 4');
    expect(lineAt(5, research, [started, searched, plan], calls)).toContain('searching 1 of 2');
  });
});

test('in a few words', () => {
  expect(
    [team, { ...team, attempt: 0 }, research, { ...solving, phase: 'executing' } as SolveState].map(progressOf),
  ).toEqual(['attempt 2/3', 'answering', 'iteration 2/3: searching', 'executing']);
});

describe('what is left', () => {
  test('of a budget', () => {
    const limits = { calls: 40, tokens: 20_000, usd: 0.5, startedAt: begin };
    expect(lineAt(42, { ...team, usage, limits })).toMatch(
      /42 s, 9 of 40 calls, 1,951 of 20,000 tokens, \$0\.0042 of \$0\.50$/,
    );
    expect(lineAt(42, { ...team, usage, limits: { usd: 0.0125, startedAt: begin } })).toMatch(
      /42 s, 9 calls, 1,951 tokens, \$0\.0042 of \$0\.0125$/,
    );
    expect(lineAt(42, { ...team, usage })).toMatch(/42 s, 9 calls, 1,951 tokens, \$0\.0042$/);
  });

  const limits = { startedAt: begin, attemptSeconds: 1800 };
  const timeAt = (seconds: number, state: State, events: RunEvent[]): string =>
    lineAt(seconds, state, events).replace(/^attempt 2\/3: \w+(, 1 of 2 answered)?, /, '');

  test("of an attempt's time, which begins with the attempt", () => {
    expect(timeAt(242, { ...team, limits }, [started, attempt(0)])).toBe('4 min 2 s of 30 min');
    expect(timeAt(242, { ...team, limits }, [started, attempt(0), attempt(200)])).toBe(
      '42 s of 30 min, 4 min 2 s in all',
    );
  });

  test("in which no person is waited for, as the run's own clock has it", () => {
    const answered = [started, attempt(0), asks(10), asks(20, 'q2'), closed(60), closed(70, 'q2')];
    expect(timeAt(100, { ...team, limits }, answered)).toBe('40 s of 30 min, 1 min 40 s in all');
    expect(timeAt(100, { ...team, limits }, [...answered, asks(80, 'q3')])).toBe('20 s of 30 min, 1 min 40 s in all');
    expect(timeAt(100, { ...team, limits }, [started, attempt(0), asks(10), attempt(50)])).toBe(
      '0 s of 30 min, 1 min 40 s in all',
    );
  });

  test('of whichever time runs out first', () => {
    const both = { ...limits, seconds: 300 };
    expect(timeAt(250, { ...team, limits: both }, [started, attempt(240)])).toBe('4 min 10 s of 5 min');
    expect(timeAt(250, { ...team, limits: { ...both, seconds: 7200 } }, [started, attempt(240)])).toBe(
      '10 s of 30 min, 4 min 10 s in all',
    );
    expect(timeAt(250, { ...research, limits: { seconds: 600, startedAt: begin } }, [started])).toMatch(
      /4 min 10 s of 10 min$/,
    );
  });
});
