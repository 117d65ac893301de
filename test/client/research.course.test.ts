import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connect, RunNotOpenError, type Reprise } from '../../src/client.ts';

let reprise: Reprise;
beforeAll(async () => {
  // Nobody works there: what is sent stays to be read.
  reprise = await connect({ address: inject('temporal').address, taskQueue: 'no-worker-for-research' });
});
afterAll(() => reprise.close());

test('a research run is started with one call, found by its id, and has a summary in the Web UI', async () => {
  const run = await reprise.startResearch({ idea: 'Momentum.\nOn small caps.' });
  expect(run.id).toMatch(/^research-[a-z\d]{8}$/);
  expect(await reprise.getResearch(run.id).openType()).toBe('research');
  const handle = reprise.client.workflow.getHandle(run.id);
  expect(await (await handle.describe()).staticSummary()).toBe('Momentum.');
  await handle.terminate();
});

test('a person decides on a run that goes on, and on no other', async () => {
  const run = await reprise.startResearch({ idea: 'Momentum.' });
  await run.decide({ action: 'accept' });
  await run.requestRestart('Done before.', 'Look elsewhere.');
  const handle = reprise.client.workflow.getHandle(run.id);
  await handle.terminate();
  const ended = new RunNotOpenError(`The run ${run.id} has ended (terminated)`);
  await expect(run.decide({ action: 'stop' })).rejects.toThrow(ended);
  await expect(run.requestRestart('r', 'i')).rejects.toThrow(ended);
  await expect(reprise.getResearch('nobody').decide({ action: 'stop' })).rejects.toThrow(
    'There is no run of the id nobody',
  );
});
