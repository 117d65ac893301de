import { describe, expect, test } from 'vitest';
import { agentOf, call, inTurn, toolResults, writeKit } from '../support/agent-script.ts';
import { allComplete, inFlight, killStage, repetitions, type Disturbed } from '../support/kill-stage.ts';

const permissions = [{ tool: 'write', action: 'allow' }];

const start =
  (orchestrator: { simple: object } | { react: object }): Disturbed['start'] =>
  (reprise, text, workflowId) =>
    reprise.client.workflow.start('session', {
      taskQueue: 'reprise',
      workflowId,
      args: [{ config: agentOf('openai', orchestrator, ['kit'], { permissions }), text }],
    });

/** What is said depends on what was said, not on how often it was asked for. */
const simple: Disturbed = {
  calls: 4,
  script: () => (seen) =>
    inTurn(
      [
        call('echo', { text: 'one' }),
        call('write', { text: 'two' }),
        call('echo', { text: 'three' }),
        { text: 'Done.' },
      ].slice(toolResults(seen).length),
    )(seen),
  prepare: writeKit,
  start: start({ simple: {} }),
  result: { answer: 'Done.', outcome: 'answered' },
};

const react: Disturbed = {
  calls: 5,
  script: () => (seen) => {
    const replies = seen.messages.filter(({ role }) => role === 'assistant').length;
    return inTurn(
      [
        { text: 'Hm.' },
        call('echo', { text: 'one' }),
        { text: 'Ah.' },
        { text: 'So.' },
        { text: 'FINAL_ANSWER: Done.' },
      ].slice(replies),
    )(seen);
  },
  prepare: writeKit,
  start: start({ react: {} }),
  result: { answer: 'Done.', outcome: 'answered' },
};

// Side by side, since most of their time is the wait for the heartbeat timeout of a dead worker's calls.
describe.concurrent('kill -9 of the worker at every model call of one agent', { timeout: 600_000 }, () => {
  test.for([
    ['simple_tool', simple],
    ['react', react],
  ] as const)('%s: calls under way are made again, finished ones never', async ([, course], context) => {
    const set = await killStage(context, course);
    await set.allHeld;
    await set.machine.killWorker();
    set.release();
    await set.machine.startWorker();
    await allComplete(set);
    expect(repetitions(set.model)).toBe(0);
    expect(set.model.requests).toHaveLength(course.calls * course.calls + inFlight(set));
  });
});
