import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { connect } from '../../src/client.ts';
import type { OrchestrationResult } from '../../src/protocol/orchestration.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { startModelServer } from '../support/model-server.ts';
import { killed } from '../support/killed.ts';
import { runningMachine } from '../support/processes.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

/** The runs whose calls are refused, and one that is cancelled meanwhile. */
const runs = 3;

/** Why the activities of a run that are under way have failed last. */
async function lastFailures(handle: WorkflowHandle): Promise<string[]> {
  const { raw } = await handle.describe();
  return (raw.pendingActivities ?? []).map(({ lastFailure }) => String(lastFailure?.message));
}

test(
  'a worker with another store says so at its start, refuses calls of a run and what a run does where it is, and says why; ' +
    'with the right one back, none is lost or paid twice',
  { timeout: 600_000 },
  async ({ onTestFinished }) => {
    const released = Promise.withResolvers<void>();
    const script = teamScript();
    const model = await startModelServer(async (seen) => {
      await released.promise;
      return script(seen);
    });
    const wrongModel = await startModelServer(script);
    const machine = await runningMachine({ onTestFinished }, model);
    const otherHome = mkdtempSync(join(tmpdir(), 'reprise-other-'));
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
      await Promise.all([reprise.close(), killed(other.child), wrongModel.close()]);
      rmSync(otherHome, { recursive: true, force: true });
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
    const others = `Other workers of the task queue reprise have another store: \\d+@\\S+@store-${stores[0]}`;
    await expect.poll(other.said).toMatch(new RegExp(others));

    const [cancelled, ...going] = handles;
    await cancelled?.cancel();
    for (const handle of going) {
      await expect
        .poll(async () => (await lastFailures(handle)).filter((text) => text.includes('belongs to the store')))
        .toHaveLength(2);
      const [text = ''] = await lastFailures(handle);
      expect(text).toContain(`belongs to the store ${stores[0]}`);
      expect(text).toContain(`has the store ${stores[1]} (SQLite in `);
      expect(text).toContain('DATABASE_URL');
    }
    await expect
      .poll(async () =>
        (await cancelled?.describe())?.raw.pendingActivities?.map(({ activityType }) => activityType?.name),
      )
      .toContain('settleAbandonedCalls');

    released.resolve();
    await machine.startWorker();
    expect(await cancelled?.result()).toMatchObject({ outcome: 'cancelled' });
    for (const handle of going) {
      const result = (await handle.result()) as OrchestrationResult;
      expect(result).toMatchObject({ outcome: 'submitted', warnings: [] });
    }
    expect(wrongModel.requests).toEqual([]);
    // What was under way when the worker died is asked again, and nothing else.
    const answered = model.requests.filter(({ aborted }) => !aborted).map(({ raw }) => raw);
    expect(new Set(answered).size).toBe(answered.length);
  },
);
