import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connect, UnservedError, type OrchestrationRun, type Reprise } from '../../src/client.ts';

const queue = `nobody-${process.pid}`;
const words = (id: string): string =>
  `Nobody polls the task queue "${queue}" of the run ${id}, which goes on once a worker does`;

let reprise: Reprise;
let run: OrchestrationRun;
beforeAll(async () => {
  reprise = await connect({ address: inject('temporal').address, taskQueue: queue });
  run = await reprise.startOrchestration({ task: 'Is anybody there?' });
});
afterAll(async () => {
  await run.terminate();
  await reprise.close();
});

test('to wait for a run whose queue nobody polls fails with the queue and what to start, and the run goes on waiting', async () => {
  const waiting = run.result();
  await expect(waiting).rejects.toThrow(words(run.id));
  await expect(waiting).rejects.toBeInstanceOf(UnservedError);
  expect(await run.isOpen()).toBe(true);
});

test.each(['state', 'events', 'pendingQuestions', 'cursor'] as const)('so does to ask for its %s', async (what) => {
  await expect(run[what]()).rejects.toThrow(words(run.id));
});

test('who watches it is told the same, and goes on watching', async () => {
  for await (const { trouble } of run.watch()) {
    if (trouble === undefined) continue;
    expect(trouble.message).toContain(words(run.id));
    break;
  }
});
