import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/protocol/events.ts';
import { entriesOf } from '../../src/workflows/log-lines.ts';
import type { SolveState } from '../../src/protocol/plan-and-execute.ts';
import type { Seen } from '../support/model-server.ts';
import { sharedRunning } from '../support/running.ts';
import {
  analysis,
  completed,
  failed,
  invalid,
  solveScript,
  subtasks,
  valid,
  type Step,
} from '../support/solve-script.ts';

const running = sharedRunning();

const isPlanning = ({ prompt, tools }: Seen): boolean =>
  tools.includes('submit_plan') && prompt.includes('Now give the plan');

const wires = [{ type: 'openai' }, { type: 'claude' }] as const;
const openai = { backend: { type: 'openai' } };
const input = (more: object = {}, rest: object = {}) => ({
  problem: 'Find the paper.',
  config: { plan: { ...openai, ...more }, ...rest },
});

async function linesOf(handle: WorkflowHandle): Promise<string[]> {
  const events = await handle.query<RunEvent[]>('events');
  return events.flatMap((event) => entriesOf(event).map(({ text }) => text));
}

/** The lines from the first to the last of those that begin with the given texts. */
function between(lines: string[], first: string, last: string): string[] {
  const from = lines.findIndex((line) => line.startsWith(first));
  return lines.slice(from, lines.findIndex((line) => line.startsWith(last)) + 1);
}

describe.each(wires)("the document's examples through $type", (backend) => {
  test('ten subtasks, three fail, two retries: 14 executions instead of 30', async () => {
    const steps = Array.from({ length: 10 }, (_, index) => `step_${index + 1}`);
    const failures: Record<string, number> = { step_2: 1, step_5: 1, step_9: 2 };
    const run = running(
      solveScript({
        plan: () => subtasks(...steps),
        work: ({ id, time }) => (time <= (failures[id] ?? 0) ? failed('Not found.') : completed(`Result of ${id}.`)),
        validate: ({ time }) => (time <= 2 ? invalid('Some of it') : valid),
      }),
    );
    const result = await run.solve(input({ backend }));
    expect(result).toMatchObject({
      answer: 'The answer.',
      outcome: 'complete',
      executions: 14,
      retries: 2,
      stateSummary: { subtasks_completed: 10, subtasks_failed: 0, dead_ends: 1 },
    });
    expect(result.subtasks.map(({ executions }) => executions)).toEqual([1, 2, 1, 1, 2, 1, 1, 1, 3, 1]);
  });

  test('four steps, each on the one before: only what failed runs again, in order', async () => {
    const steps: Step[] = [
      { id: 'step_1', description: 'Search for AI regulation papers' },
      { id: 'step_2', description: 'Navigate to arXiv and find paper' },
      { id: 'step_3', description: 'Extract figure from paper', depends_on: ['step_2'] },
      { id: 'step_4', description: 'Analyze figure labels', depends_on: ['step_3'] },
    ];
    const run = running(
      solveScript({
        plan: () => subtasks(...steps),
        work: ({ id, time }) =>
          id === 'step_2' && time === 1 ? failed('Could not navigate correctly') : completed(`Result of ${id}.`),
        validate: ({ time }) => (time === 1 ? invalid('Figure labels') : valid),
      }),
    );
    const handle = await run.startSolve(input({ backend }));
    const result = (await handle.result()) as object;
    expect(result).toMatchObject({
      outcome: 'complete',
      executions: 5,
      retries: 1,
      subtasks: [
        { id: 'step_1', status: 'completed', executions: 1 },
        { id: 'step_2', status: 'completed', executions: 2 },
        { id: 'step_3', status: 'completed', executions: 1 },
        { id: 'step_4', status: 'completed', executions: 1 },
      ],
    });
    const lines = await linesOf(handle);
    expect(lines).toContain('❌ Failed subtask: step_3 (Depends on step_2)');
    expect(lines).toContain('❌ Failed subtask: step_4 (Depends on step_3)');
    expect(between(lines, 'Found 3', 'Retry execution complete')).toEqual([
      "Found 3 failed subtask(s) to retry: ['step_2', 'step_3', 'step_4']",
      '=== Phase 4 (RETRY): EXECUTE FAILED SUBTASKS ===',
      'Retrying failed subtask: step_2 - Navigate to arXiv...',
      'Successfully retried subtask: step_2',
      'Retrying failed subtask: step_3 - Extract figure from...',
      'Successfully retried subtask: step_3',
      'Retrying failed subtask: step_4 - Analyze figure...',
      'Successfully retried subtask: step_4',
      'Retry execution complete: 3 subtask(s) retried',
    ]);
    const again = run.model.requests.findLast(({ prompt }) => prompt.includes('Carry out step_2.'));
    expect(again?.prompt).toContain('It failed before: Could not navigate correctly');
    const last = run.model.requests.find(({ prompt }) => prompt.includes('Carry out step_4.'));
    expect(last?.prompt).toContain('### step_3: Extract figure from paper\n\n<result>\nResult of step_3.');
  });
});

describe('the log groups of the document', () => {
  test('no failed subtasks, but something is missing: new subtasks for that only', async () => {
    const run = running(
      solveScript({
        plan: ({ time }) => (time === 1 ? subtasks('step_1') : subtasks('step_2', 'step_3', 'step_4')),
        validate: ({ time }) =>
          time === 1 ? invalid('Extract figure labels', 'Analyze axes', 'Name the authors') : valid,
      }),
    );
    const handle = await run.startSolve(input());
    expect(await handle.result()).toMatchObject({ outcome: 'complete', executions: 4, retries: 1 });
    const lines = await linesOf(handle);
    expect(between(lines, 'No failed', 'New plan execution').filter((line) => !/step_\d/.test(line))).toEqual([
      'No failed subtasks found. Creating additional subtasks for missing requirements...',
      "Creating improved plan to address: ['Extract figure labels', 'Analyze axes', ...]",
      '=== Phase 4 (RETRY): EXECUTE NEW PLAN ===',
      'New plan execution complete: 3 results',
    ]);
    const improving = run.model.requests.findLast(isPlanning);
    expect(improving?.prompt).toContain('- Name the authors');
  });

  test('the state, as it is printed there', async () => {
    const steps = Array.from({ length: 7 }, (_, index) => `step_${index + 1}`);
    const run = running(
      solveScript({
        plan: () => subtasks(...steps),
        work: ({ id }) => (['step_2', 'step_3'].includes(id) ? failed('No.') : completed('Yes.')),
        validate: () => invalid('Some of it'),
      }),
    );
    const handle = await run.startSolve(input({ max_retries: 1 }));
    expect(await handle.result()).toMatchObject({ outcome: 'partial' });
    expect(await linesOf(handle)).toContain(
      "State summary: {\n  'subtasks_completed': 5,\n  'subtasks_failed': 2,\n  'dead_ends': 2\n}",
    );
  });
});

describe('edge cases of the document', () => {
  test('all succeed, the validation passes: no retry', async () => {
    const run = running(solveScript());
    expect(await run.solve(input())).toMatchObject({ outcome: 'complete', executions: 1, retries: 0 });
    expect(run.model.requests).toHaveLength(5);
  });

  test('persistent failures: a dead end is known to later retries, and the rest goes on', async () => {
    const run = running(
      solveScript({
        plan: () => subtasks('step_1', 'step_2', 'step_3'),
        work: ({ id, time }) =>
          id === 'step_2' || (id === 'step_3' && time === 1) ? failed(`No ${id}.`) : completed('Yes.'),
        validate: () => invalid('Some of it'),
      }),
    );
    const result = await run.solve(input());
    expect(result).toMatchObject({
      outcome: 'partial',
      executions: 3 + 2 + 1,
      retries: 2,
      stateSummary: { subtasks_completed: 2, subtasks_failed: 1, dead_ends: 1 },
    });
    const synthesis = run.model.requests.findLast(({ tools }) => tools.length === 0);
    expect(synthesis?.prompt).toContain('- step_2 (Do step_2): No step_2.');
  });

  test('what failed stays failed where the validation passes all the same: that is no complete answer', async () => {
    const run = running(
      solveScript({
        plan: () => subtasks('step_1', 'step_2'),
        work: ({ id }) => (id === 'step_2' ? failed('No.') : completed('Yes.')),
      }),
    );
    expect(await run.solve(input())).toMatchObject({
      outcome: 'partial',
      retries: 0,
      subtasks: [{ status: 'completed' }, { status: 'failed', error: 'No.' }],
      warnings: ['The answer is called complete, but needs what has failed: step_2'],
    });
  });
});

describe('a plan that cannot be executed goes back to the model', () => {
  test('with what is wrong with it', async () => {
    const cycle = [
      { id: 'step_1', depends_on: ['step_2'] },
      { id: 'step_2', depends_on: ['step_1'] },
    ];
    const run = running(solveScript({ plan: ({ time }) => subtasks(...(time === 1 ? cycle : ['step_1'])) }));
    expect(await run.solve(input())).toMatchObject({ outcome: 'complete', executions: 1 });
    const plans = run.model.requests.filter(isPlanning);
    expect(plans).toHaveLength(2);
    expect(plans[1]?.prompt).toContain('step_1 → step_2 → step_1');
  });

  test('one that stays bad is replaced by the problem as its only subtask', async () => {
    const run = running(solveScript({ plan: () => subtasks() }));
    const { outcome, subtasks: all } = await run.solve(input());
    expect(outcome).toBe('complete');
    expect(all).toMatchObject([{ id: 'step_1', description: 'Solve the problem: Find the paper.' }]);
  });

  test('free text is understood: a list, whose steps follow one another', async () => {
    const run = running(
      solveScript({ plan: () => ({ text: 'First:\n1. Search\n2. Read' }), analyse: () => ({ text: '- One\n- Two' }) }),
    );
    expect((await run.solve(input())).subtasks).toMatchObject([
      { id: 'step_1', description: 'Search', dependsOn: [] },
      { id: 'step_2', description: 'Read', dependsOn: ['step_1'] },
    ]);
  });
});

test('fifty subtasks run ten at a time, and no more', async () => {
  const steps = Array.from({ length: 50 }, (_, index) => `step_${index + 1}`);
  let now = 0;
  let most = 0;
  const full = Promise.withResolvers<void>();
  const run = running(
    solveScript({
      plan: () => subtasks(...steps),
      work: async ({ id }) => {
        now += 1;
        most = Math.max(most, now);
        if (now === 10) full.resolve();
        // None of the first ten is answered before all ten are under way.
        await full.promise;
        now -= 1;
        return completed(id);
      },
    }),
  );
  expect(await run.solve(input({ max_parallel_subtasks: 10 }))).toMatchObject({ executions: 50 });
  expect(most).toBe(10);
});

test('no new plan is asked for where no further subtask may be', async () => {
  const run = running(solveScript({ validate: () => invalid('More') }));
  expect(await run.solve(input({ max_subtasks: 1 }))).toMatchObject({ outcome: 'partial', executions: 1 });
  expect(run.model.requests.filter(isPlanning)).toHaveLength(1);
});

describe('the validator', () => {
  test('that never passes: the rounds end, and the answer is partial', async () => {
    const run = running(solveScript({ plan: ({ time }) => subtasks(`step_${time}`), validate: () => invalid('More') }));
    expect(await run.solve(input())).toMatchObject({
      answer: 'The answer.',
      outcome: 'partial',
      executions: 3,
      retries: 2,
    });
  });

  test.each([
    ['nonsense', () => ({ text: 'Hm.' })],
    ['an error', () => ({ status: 400 })],
  ])('that answers %s: the answer is not called complete, since nobody has checked it', async (_, validate) => {
    const run = running(solveScript({ validate }));
    const handle = await run.startSolve(input());
    expect(await handle.result()).toMatchObject({
      outcome: 'unverified',
      validation: null,
      warnings: [expect.stringMatching(/validated/), 'Nobody has said whether the answer is complete'],
    });
    expect(await linesOf(handle)).toContain('⚠️ Nobody has said whether the answer is complete');
  });
});

describe('a subtask fails', () => {
  const once = { validate: () => valid };
  test('when its model fails for good', async () => {
    const run = running(solveScript({ ...once, work: () => ({ status: 400 }) }));
    expect((await run.solve(input())).subtasks).toMatchObject([
      { status: 'failed', error: expect.stringContaining('400') as string },
    ]);
  });

  test('when its agent reaches its limit without a result', async () => {
    const run = running(
      solveScript({ ...once, work: ({ time }) => ({ calls: [{ name: 'list', arguments: { time } }] }) }),
    );
    const { subtasks: all } = await run.solve(input());
    expect(all).toMatchObject([{ status: 'failed', error: expect.stringContaining('reached its limit') as string }]);
  });

  test('not of a transient error: that is the retry of an activity', async () => {
    const run = running(solveScript({ work: ({ time }) => (time === 1 ? { status: 503 } : completed('Yes.')) }));
    expect(await run.solve(input())).toMatchObject({ executions: 1, retries: 0, outcome: 'complete' });
  });
});

describe('the run', () => {
  test('fails where the planner’s model does, with its reason', async () => {
    const run = running(solveScript({ plan: () => ({ status: 401 }) }));
    await expect(run.solve(input())).rejects.toMatchObject({
      cause: { type: 'NoPlan', message: expect.stringMatching(/planner: .*OPENAI_API_KEY/) as string },
    });
  });

  test('ends as partial where the planner’s model fails on what is missing, with its reason', async () => {
    const run = running(
      solveScript({
        plan: ({ time }) => (time === 1 ? subtasks('step_1') : { status: 401 }),
        validate: () => invalid('The year'),
      }),
    );
    const handle = await run.startSolve(input());
    expect(await handle.result()).toMatchObject({ answer: 'The answer.', outcome: 'partial' });
    expect(await linesOf(handle)).toContainEqual(
      expect.stringMatching(/There is no new plan: openai .*OPENAI_API_KEY/),
    );
  });

  test.each([1, 2, 3, 4, 5])('ends with what there is when a budget of %i calls is spent', async (calls) => {
    const run = running(solveScript({ plan: () => subtasks('step_1', { id: 'step_2', depends_on: ['step_1'] }) }));
    const { answer, outcome } = await run.solve(input({}, { budget: { calls } }));
    expect(outcome).toBe('budget');
    expect(answer).not.toBe('');
    expect(run.model.requests).toHaveLength(calls);
  });

  test('shows its state by the names of the document', async () => {
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const run = running(
      solveScript({
        plan: () => subtasks('step_1', { id: 'step_2', depends_on: ['step_1'] }, 'step_3'),
        work: async ({ id, time }) => {
          if (id === 'step_1' && time === 1) return failed('No.');
          if (id === 'step_3') {
            reached.resolve();
            await gate.promise;
          }
          return completed('Yes.');
        },
      }),
    );
    const handle = await run.startSolve(input());
    await reached.promise;
    await expect
      .poll(() => handle.query<SolveState>('state'))
      .toMatchObject({
        phase: 'executing',
        get_failed_subtasks: ['step_1', 'step_2'],
        subtasks_completed: 0,
        subtasks_failed: 2,
        dead_ends: 0,
        retries: 0,
        max_retries: 2,
        agents: [{ id: 'step_3', state: 'answering' }],
      });
    gate.resolve();
    await handle.result();
  });

  test('the analysis goes to synthesis and validation', async () => {
    const run = running(solveScript({ analyse: () => analysis(['The title', 'The year']) }));
    await run.solve(input());
    const last = run.model.requests.slice(-2).map(({ prompt }) => prompt);
    for (const prompt of last) expect(prompt).toContain('## Requirements\n\n- The title\n- The year');
    expect(last[1]).toContain('## Answer\n\nThe answer.');
  });
});
