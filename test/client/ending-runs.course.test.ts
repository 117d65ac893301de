import type { TerminatedFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connect, RunExistsError, RunNotOpenError, type Reprise } from '../../src/client.ts';
import { running, type Running } from '../support/running.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

const config = teamOf(['agent_a', 'agent_b'], { type: 'openai' });

let set: Running;
let reprise: Reprise;
beforeAll(async () => {
  // No agent ever answers: whoever ends a run, it is not itself.
  set = await running(teamScript({ answer: () => new Promise(() => {}) }));
  reprise = await connect({ address: inject('temporal').address, taskQueue: set.taskQueue });
});
afterAll(async () => {
  await reprise.close();
  await set[Symbol.asyncDispose]();
});

const started = () => reprise.startOrchestration({ task: 'Wait.', config });

test('a run that is cancelled, once or twice, has a result that says so, and its calls are given up', async () => {
  const run = await started();
  await expect.poll(() => set.model.requests.length).toBeGreaterThan(0);
  await run.cancel();
  await run.cancel();
  expect(await run.result()).toMatchObject({ outcome: 'cancelled', finalAgent: '' });
  await expect.poll(() => set.model.requests.every(({ aborted }) => aborted)).toBe(true);
});

test('a run that is terminated ends with the reason', async () => {
  const run = await started();
  await run.terminate('enough');
  const failure = expect.objectContaining({ message: 'enough' }) as TerminatedFailure;
  await expect(run.result()).rejects.toMatchObject({ cause: failure });
});

test('a run that has ended, or that there is not, cannot be ended', async () => {
  const run = await started();
  await run.terminate();
  await expect(run.cancel()).rejects.toThrow(new RunNotOpenError(`The run ${run.id} has ended (terminated)`));
  await expect(run.terminate()).rejects.toThrow(RunNotOpenError);
  await expect(reprise.getRun('nobody').cancel()).rejects.toThrow('There is no run of the id nobody');
});

test('a run that is left by its scope is cancelled where it still goes on', async () => {
  let id: string;
  {
    await using run = await started();
    id = run.id;
  }
  expect(await reprise.getOrchestration(id).result()).toMatchObject({ outcome: 'cancelled' });
  {
    await using ended = reprise.getOrchestration(id);
    expect(await ended.isOpen()).toBe(false);
  }
});

test('the id of an open run is refused, and the same run that is started once is found by it', async () => {
  const run = await started();
  const again = reprise.startOrchestration({ task: 'Wait.', config }, { id: run.id });
  await expect(again).rejects.toThrow(new RunExistsError(run.id, 'which is open'));
  const once = (task: string) => reprise.startOnce('orchestration', run.id, { task, config });
  expect((await once('Wait.')).isNew).toBe(false);
  await expect(once('Go.')).rejects.toThrow(new RunExistsError(run.id));
  await run.terminate();
});
