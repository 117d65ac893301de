import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/protocol/events.ts';
import type { SolveResult } from '../../../src/protocol/plan-and-execute.ts';
import { entriesOf } from '../../../src/workflows/log-lines.ts';
import type { Seen } from '../../support/model-server.ts';
import { sharedRunning } from '../../support/running.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../../support/solve-script.ts';

const running = sharedRunning();

const input = (more: object = {}) => ({
  problem: 'Find the paper.',
  config: { plan: { backend: { type: 'openai' }, ...more } },
});

async function linesOf(handle: WorkflowHandle): Promise<string[]> {
  const events = await handle.query<RunEvent[]>('events');
  return events.flatMap((event) => entriesOf(event).map(({ text }) => text));
}

const isPlanning = ({ prompt, tools }: Seen): boolean =>
  tools.includes('submit_plan') && prompt.includes('Now give the plan');

test('what has failed again is not run a third time: others take its place, and what depended on it waits for them', async () => {
  const run = running(
    solveScript({
      plan: ({ time }) =>
        time === 1
          ? subtasks('step_1', 'step_2', { id: 'step_3', depends_on: ['step_2'] })
          : subtasks('step_4', { id: 'step_5', depends_on: ['step_1', 'step_4'], replaces: ['step_2'] }),
      work: ({ id }) => (id === 'step_2' ? failed('The site is down.') : completed(`Result of ${id}.`)),
      validate: ({ time }) => (time <= 2 ? invalid('Some of it') : valid),
    }),
  );
  const handle = await run.startSolve(input());
  const result = (await handle.result()) as SolveResult;
  expect(result).toMatchObject({
    outcome: 'complete',
    retries: 2,
    executions: 1 + 2 + 3,
    warnings: [],
    stateSummary: { subtasks_completed: 4, subtasks_failed: 1, dead_ends: 1 },
    subtasks: [
      { id: 'step_1', executions: 1 },
      { id: 'step_2', status: 'failed', executions: 2, error: 'The site is down.', replacedBy: ['step_5'] },
      { id: 'step_3', status: 'completed', executions: 1, dependsOn: ['step_5'] },
      { id: 'step_4', status: 'completed', executions: 1 },
      { id: 'step_5', status: 'completed', executions: 1 },
    ],
  });
  const lines = await linesOf(handle);
  const from = lines.findIndex((line) => line.startsWith('Found 1 dead end'));
  expect(lines.slice(from, lines.indexOf('New plan execution complete: 3 results') + 1)).toEqual([
    'Found 1 dead end: step_2. Creating other subtasks instead...',
    '=== Phase 4 (RETRY): EXECUTE NEW PLAN ===',
    'step_4: Do step_4',
    'step_5: Do step_5 (after step_1, step_4)',
    'Executing subtask: step_4 - Do step_4...',
    '✅ Completed subtask: step_4',
    'Executing subtask: step_5 - Do step_5...',
    '✅ Completed subtask: step_5',
    'Retrying failed subtask: step_3 - Do step_3...',
    'Successfully retried subtask: step_3',
    'New plan execution complete: 3 results',
  ]);
});

test('the planner is told what failed and why, what depends on it, and what is found', async () => {
  const run = running(
    solveScript({
      plan: ({ time }) =>
        time === 1 ? subtasks('step_1', 'step_2', { id: 'step_3', depends_on: ['step_2'] }) : subtasks('step_4'),
      work: ({ id }) => (id === 'step_2' ? failed('The site is down.') : completed(`Result of ${id}.`)),
      validate: ({ time }) => (time <= 2 ? invalid('Some of it') : valid),
    }),
  );
  await run.solve(input());
  const { prompt = '' } = run.model.requests.findLast(isPlanning) ?? {};
  const told = prompt.slice(prompt.indexOf('## Dead ends'));
  expect(told).toContain('- step_2 (Do step_2): The site is down.');
  expect(told).toContain('These depend on them:\n- step_3 (Do step_3): Depends on step_2');
  expect(told).toContain('### step_1: Do step_1\n\n<result>\nResult of step_1.');
  expect(told).toContain('step_1, step_2, step_3. New subtasks may depend on each other and on step_1.');
  const validation = run.model.requests.findLast(({ tools }) => tools.includes('submit_validation'));
  expect(validation?.prompt).toContain('- step_2: failed; carried out 2 times; replaced by step_4; tools: none');
  expect(validation?.prompt).not.toContain('## Failed subtasks');
});

test('a way around that depends on a dead end goes back to the planner', async () => {
  const run = running(
    solveScript({
      plan: ({ time }) =>
        time === 1
          ? subtasks('step_1')
          : subtasks({ id: `step_${time}`, depends_on: time === 2 ? ['step_1'] : [], replaces: ['step_1'] }),
      work: ({ id }) => (id === 'step_1' ? failed('No.') : completed('Yes.')),
      validate: ({ time }) => (time <= 2 ? invalid('All') : valid),
    }),
  );
  expect(await run.solve(input())).toMatchObject({
    outcome: 'complete',
    subtasks: [{ replacedBy: ['step_3'] }, { id: 'step_3', status: 'completed' }],
  });
  expect(run.model.requests.findLast(isPlanning)?.prompt).toContain(
    'dependencies that have failed: step_1 (of step_2)',
  );
});

test.each([
  ['gives no subtasks', () => subtasks(), 'The planner knows no way around what has failed'],
  ['gives nothing that can be used', () => subtasks('step_1'), /^The new plan cannot be used: .*earlier subtask/],
  ['fails', () => ({ status: 400 }), /^There is no new plan: .*400/],
])('where the planner %s, the dead end is tried once more', async (_, plan, warning) => {
  const run = running(
    solveScript({
      plan: ({ time }) => (time === 1 ? subtasks('step_1', 'step_2') : plan()),
      work: ({ id, time }) => (id === 'step_2' && time <= 2 ? failed('No.') : completed('Yes.')),
      validate: ({ time }) => (time <= 2 ? invalid('Some of it') : valid),
    }),
  );
  expect(await run.solve(input())).toMatchObject({
    outcome: 'complete',
    executions: 4,
    warnings: [typeof warning === 'string' ? warning : expect.stringMatching(warning)],
  });
});

test('what takes the place of a dead end and fails too is retried, then replaced; without a round left it is partial', async () => {
  const run = running(
    solveScript({
      plan: ({ time }) => subtasks(time === 1 ? 'step_1' : { id: `step_${time}`, replaces: [`step_${time - 1}`] }),
      work: () => failed('No.'),
      validate: () => invalid('All'),
    }),
  );
  const result = await run.solve(input({ max_retries: 5 }));
  expect(result).toMatchObject({
    outcome: 'partial',
    executions: 6,
    subtasks: [
      { id: 'step_1', executions: 2, replacedBy: ['step_2'] },
      { id: 'step_2', executions: 2, replacedBy: ['step_3'] },
      { id: 'step_3', executions: 2 },
    ],
  });
});
