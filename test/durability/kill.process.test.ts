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
import { restart, submit, teamOf, teamScript } from '../support/team-script.ts';

/** One restart, so that judge and presenter are among those that are disturbed. */
const course: Disturbed = {
  calls: 11,
  script: () => teamScript({ decide: ({ attempt }) => (attempt === 1 ? restart('Again.', 'Better.') : submit()) }),
  start: (reprise, task, id) =>
    reprise.startOrchestration({ task, config: teamOf(['agent_a', 'agent_b'], { type: 'openai' }) }, { id }),
  result: { answer: 'The final answer, by agent_a.', attempts: 2 },
};
const allCalls = course.calls * course.calls;

// Side by side, since most of their time is the wait for the heartbeat timeout of a dead worker's calls.
describe.concurrent('kill -9 at every model call of a run', { timeout: 600_000 }, () => {
  test('of the worker: calls under way are made again, finished ones never', async (context) => {
    const set = await killStage(context, course);
    await set.allHeld;
    await set.machine.killWorker();
    set.release();
    await set.machine.startWorker();
    await allComplete(set);
    expect(repetitions(set.model)).toBe(0);
    expect(set.model.requests).toHaveLength(allCalls + inFlight(set));
  });

  test('of worker and server together', async (context) => {
    const set = await killStage(context, course);
    await killAll(set);
    await allComplete(set);
    expect(repetitions(set.model)).toBe(0);
  });

  test('of the worker between the commit of a reply and its acknowledgement: nothing is called again', async (context) => {
    const set = await killStage(context, course);
    await killUnacknowledged(set);
    await allComplete(set);
    expect(set.model.requests).toHaveLength(allCalls);
  });
});
