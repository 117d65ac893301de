import { describe, expect, test } from 'vitest';
import {
  allComplete,
  inFlight,
  killAll,
  killStage,
  killUnacknowledged,
  repetitions,
  type Disturbed,
} from '../support/kill-stage.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../support/solve-script.ts';

/** One subtask fails at first, and one waits for it; what is said depends on the request alone, which may come twice. */
const course: Disturbed = {
  calls: 10,
  script: () =>
    solveScript({
      plan: () => subtasks('step_1', 'step_2', { id: 'step_3', depends_on: ['step_2'] }),
      work: ({ id, prompt }) =>
        id === 'step_2' && !prompt.includes('It failed before') ? failed('Not found.') : completed(`Result of ${id}.`),
      validate: ({ prompt }) => (prompt.includes('## Failed subtasks') ? invalid('Some of it') : valid),
    }),
  start: (reprise, problem, workflowId) =>
    reprise.client.workflow.start('planAndExecute', {
      taskQueue: 'reprise',
      workflowId,
      args: [{ problem, config: { plan: { backend: { type: 'openai' } } } }],
    }),
  result: {
    answer: 'The answer.',
    outcome: 'complete',
    executions: 4,
    retries: 1,
    subtasks: [{ executions: 1 }, { executions: 2 }, { executions: 1 }],
  },
};

describe.concurrent('kill -9 at every model call of a plan’s execution', { timeout: 600_000 }, () => {
  test('of worker and server: calls under way are made again, finished ones and their subtasks never', async (context) => {
    const set = await killStage(context, course);
    await killAll(set);
    await allComplete(set);
    expect(repetitions(set.model)).toBe(0);
    expect(set.model.requests).toHaveLength(course.calls ** 2 + inFlight(set));
  });

  test('of the worker between the commit of a reply and its acknowledgement: nothing is called again', async (context) => {
    const set = await killStage(context, course);
    await killUnacknowledged(set);
    await allComplete(set);
    expect(set.model.requests).toHaveLength(course.calls ** 2);
  });
});
