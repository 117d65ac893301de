import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, test, type TestContext } from 'vitest';
import { connect, type Reprise } from '../../src/client.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { startModelServer, type ModelServer } from '../support/model-server.ts';
import { killed } from '../support/killed.ts';
import { Machine } from '../support/processes.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

const runs = 2;

interface Stage {
  machine: Machine;
  model: ModelServer;
  /** What the other worker would ask. */
  wrongModel: ModelServer;
  reprise: Reprise;
  handles: WorkflowHandle[];
  /** The ids of the store of the runs, and of the other one. */
  stores: [own: string, other: string];
  /** What the other worker has printed. */
  said: () => string;
  release: () => void;
}

/** Runs with their calls under way on a worker that is killed, so that only a worker with another store is left. */
async function stage({ expect, onTestFinished }: TestContext): Promise<Stage> {
  const released = Promise.withResolvers<void>();
  const script = teamScript();
  const model = await startModelServer(async (seen) => {
    await released.promise;
    return script(seen);
  });
  const wrongModel = await startModelServer(script);
  const machine = new Machine({ OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: model.openai });
  const otherHome = mkdtempSync(join(tmpdir(), 'reprise-other-'));
  await machine.startServer();
  await machine.startWorker();
  const reprise = await connect({ address: machine.address });
  const handles: WorkflowHandle[] = [];
  for (let run = 0; run < runs; run++) {
    const args = [
      { task: `Question ${run}?`, config: teamOf(['agent_a', 'agent_b'], { type: 'openai', model: 'gpt-4o' }) },
    ];
    const options = { taskQueue: 'reprise', workflowId: `run-${run}`, args };
    handles.push(await reprise.client.workflow.start('orchestration', options));
  }
  await expect.poll(() => model.requests.length).toBe(2 * runs);
  const other = await machine.startOther(otherHome, { OPENAI_BASE_URL: wrongModel.openai });
  onTestFinished(async () => {
    await reprise.close();
    await Promise.all([
      killed(other.child),
      machine.killWorker(),
      machine.killServer(),
      model.close(),
      wrongModel.close(),
    ]);
    for (const home of [machine.home, otherHome]) rmSync(home, { recursive: true, force: true });
  });
  await machine.killWorker();
  const stores = await Promise.all(
    [machine.home, otherHome].map(async (home) => {
      const store = openSqliteStore(join(home, 'store.sqlite'));
      const id = await store.identity();
      await store.close();
      return id;
    }),
  );
  const [own = '', another = ''] = stores;
  return {
    machine,
    model,
    wrongModel,
    reprise,
    handles,
    stores: [own, another],
    said: other.said,
    release: released.resolve,
  };
}

/** Why the activities of a run that are under way have failed last. */
async function lastFailures(handle: WorkflowHandle): Promise<string[]> {
  const { raw } = await handle.describe();
  return (raw.pendingActivities ?? []).map(({ lastFailure }) => String(lastFailure?.message));
}

// Side by side, since most of their time is the wait for the heartbeat timeout of a dead worker's calls.
describe.concurrent('two workers with two stores', { timeout: 600_000 }, () => {
  test('a worker with another store refuses calls of a run and says why; with the right one back, none is lost or paid twice', async (context) => {
    const { expect } = context;
    const { machine, model, wrongModel, handles, stores, release } = await stage(context);
    for (const handle of handles) {
      await expect
        .poll(async () => (await lastFailures(handle)).filter((text) => text.includes('belongs to the store')))
        .toHaveLength(2);
      const [text = ''] = await lastFailures(handle);
      expect(text).toContain(`belongs to the store ${stores[0]}`);
      expect(text).toContain(`has the store ${stores[1]} (SQLite in `);
      expect(text).toContain('DATABASE_URL');
    }
    release();
    await machine.startWorker();
    for (const handle of handles) {
      const result = (await handle.result()) as OrchestrationResult;
      expect(result).toMatchObject({ outcome: 'submitted', warnings: [] });
    }
    expect(wrongModel.requests).toEqual([]);
    // What was under way when the worker died is asked again, and nothing else.
    const answered = model.requests.filter(({ aborted }) => !aborted).map(({ raw }) => raw);
    expect(new Set(answered).size).toBe(answered.length);
  });

  test('what a run does on the worker that it is on is done elsewhere, where that one has another store', async (context) => {
    const { expect } = context;
    const { handles, machine } = await stage(context);
    const [handle] = handles;
    await handle?.cancel();
    await expect
      .poll(async () =>
        (await handle?.describe())?.raw.pendingActivities?.map(({ activityType }) => activityType?.name),
      )
      .toContain('settleAbandonedCalls');
    await machine.startWorker();
    expect(await handle?.result()).toMatchObject({ outcome: 'cancelled' });
  });

  test('a worker says at its start that others of its queue have another store', async (context) => {
    const { expect } = context;
    const { said, stores } = await stage(context);
    await expect
      .poll(said)
      .toMatch(new RegExp(`Other workers of the task queue reprise have another store: \\d+@\\S+@store-${stores[0]}`));
  });
});
