import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connect, type Reprise } from '../../src/client.ts';

let reprise: Reprise;
beforeAll(async () => {
  // Nobody works there: a run stays as it was started.
  reprise = await connect({ address: inject('temporal').address, taskQueue: 'no-worker-for-solve' });
});
afterAll(() => reprise.close());

test('a problem is given with one call, found by its id, and has a summary in the Web UI', async () => {
  const run = await reprise.startSolve({
    problem: 'Find the paper.\nName its figures.',
    attachments: ['/data/papers.csv'],
    config: { plan: { max_retries: 1 } },
  });
  expect(run.id).toMatch(/^solve-[a-z\d]{8}$/);
  expect(await reprise.getSolve(run.id).openType()).toBe('planAndExecute');
  const handle = reprise.client.workflow.getHandle(run.id);
  expect(await (await handle.describe()).staticSummary()).toBe('Find the paper.');
  await handle.terminate();
});
