import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { expect, inject, test } from 'vitest';
import type { SessionResult } from '../../src/protocol/session.ts';
import { workflowBundle } from '../../src/worker/workflow-bundle.ts';
import { configOf } from '../support/extensions.ts';
import { startModelServer, type Seen } from '../support/model-server.ts';
import { Machine } from '../support/processes.ts';

const example = fileURLToPath(new URL('../../examples/custom', import.meta.url));

/** The example's calls, in order. */
const calls = 3;
const runs = Array.from({ length: calls }, (_, index) => index);
const runOf = ({ prompt }: Seen): number => Number(/Survive (\d+)\./.exec(prompt)?.[1]);
const callOf = ({ prompt }: Seen): number =>
  prompt.includes('strict editor') ? 1 : prompt.includes('An editor says') ? 2 : 0;

test('kill -9 at every model call of a custom orchestrator: it resumes, and no finished call is made again', async ({
  onTestFinished,
}) => {
  const held = runs.map(() => Promise.withResolvers<void>());
  const released = Promise.withResolvers<void>();
  const model = await startModelServer(async (seen) => {
    if (callOf(seen) === runOf(seen)) {
      held[runOf(seen)]?.resolve();
      await released.promise;
    }
    return { text: ['A draft.', 'Too short.', 'A longer text.'][callOf(seen)] ?? '' };
  });
  const { codePath, orchestrators } = await workflowBundle(inject('temporal').home, example);
  expect(orchestrators).toEqual({ names: ['./draft-criticise-revise.ts'], leftOut: {} });
  const machine = new Machine({ OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: model.openai }, codePath);
  onTestFinished(async () => {
    await Promise.all([machine.killWorker(), machine.killServer(), model.close()]);
    rmSync(machine.home, { recursive: true, force: true });
  });
  await machine.startServer();
  await machine.startWorker();
  const connection = await Connection.connect({ address: machine.address });
  onTestFinished(() => connection.close());
  const { workflow } = new Client({ connection });
  const handles = await Promise.all(
    runs.map((run) =>
      workflow.start('session', {
        taskQueue: 'reprise',
        workflowId: `custom-${run}`,
        args: [{ config: configOf('./draft-criticise-revise.ts'), text: `Survive ${run}.` }],
      }),
    ),
  );
  await Promise.all(held.map(({ promise }) => promise));
  const finished = 0 + 1 + 2;
  await expect.poll(() => model.requests.filter(({ answered }) => answered).length).toBe(finished);
  // A run's next call shows that the replies before it are committed.
  await machine.killWorker();
  released.resolve();
  await machine.startWorker();

  const results = (await Promise.all(handles.map((handle) => handle.result()))) as SessionResult[];
  for (const result of results)
    expect(result).toMatchObject({
      answer: 'A longer text.',
      messages: ['Draft:\nA draft.', 'Criticism:\nToo short.', 'A longer text.'],
      usage: { calls },
    });
  for (const run of runs) {
    const made = model.requests.filter((seen) => runOf(seen) === run).map(callOf);
    // Only the call that was under way is there twice.
    expect(made.toSorted((one, other) => one - other)).toEqual([0, 1, 2, run].toSorted((one, other) => one - other));
  }
});
