import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pruneStore } from '../../src/cli/commands/prune.ts';
import { Reprise } from '../../src/client/reprise.ts';
import { TemporalRuns } from '../../src/client/temporal/runs.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { PendingQuestion } from '../../src/protocol/questions.ts';
import { asks, askingTeam } from '../support/asking.ts';
import { sharedRunning } from '../support/running.ts';

/** Of its own, since other tests encrypt their runs, and what nobody can read stops `prune`. */
const namespace = `prune-${process.pid}`;
const shared = sharedRunning(() => ({}), undefined, namespace);
const minutes = 60_000;
/** Rows that are written now are old already. */
const settings = { grace: -10_000, isDry: false, place: 'SQLite in x', tell: () => {} };

test(
  'what open and kept runs need stays: they go on, are shown and can be reset; what others had is gone',
  { timeout: 5 * minutes },
  async () => {
    const task = 'Long task: '.padEnd(20_000, 'text ');
    const run = shared(asks('Which color?'));
    const { client, home, taskQueue } = run;
    const reprise = new Reprise(new TemporalRuns(client, client.connection, { taskQueue, home, environment: {} }));
    const store = openStore(home, {});
    const questionOf = async (id: string): Promise<PendingQuestion> => {
      const handle = client.workflow.getHandle(id);
      await expect
        .poll(async () => handle.query<PendingQuestion[]>('pendingQuestions'), { timeout: minutes })
        .toHaveLength(1);
      const [question] = await handle.query<PendingQuestion[]>('pendingQuestions');
      return question!;
    };
    const begin = async (more: string) => run.start({ task: `${task} ${more}`, config: askingTeam(3000) });
    const [open, kept, gone] = [await begin('open'), await begin('kept'), await begin('gone')];
    for (const handle of [kept, gone]) {
      const { questionId } = await questionOf(handle.workflowId);
      await handle.signal('answer', { questionId, answer: 'Dark' });
      await handle.result();
    }
    const question = await questionOf(open.workflowId);
    const shownBefore = await reprise.getRun(kept.workflowId).show({ home, prompts: true });
    const { runId: goneRun } = await gone.describe();
    await client.workflowService.deleteWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: gone.workflowId, runId: goneRun },
    });
    const listed = async (): Promise<string[]> => {
      const ids: string[] = [];
      for await (const { workflowId } of client.workflow.list({ query: `TaskQueue = "${taskQueue}"` }))
        ids.push(workflowId);
      return ids.toSorted();
    };
    await expect.poll(listed, { timeout: minutes }).toEqual([open.workflowId, kept.workflowId].toSorted());

    // What workers have left that were killed.
    const left = [kept, gone].map(({ workflowId }) => ({
      key: `r/${workflowId}`,
      attempt: 1,
      offset: 0,
      text: 'One',
      workflowId,
    }));
    await store.liveTexts.write(left, []);
    const dry = await pruneStore(store, client, { ...settings, isDry: true });
    const pruned = await pruneStore(store, client, settings);
    expect(pruned.removed).toEqual(dry.removed);
    expect(pruned.removed['replies']?.rows).toBeGreaterThan(0);
    expect(pruned.bytes).toBeGreaterThan(20_000);
    const texts = await Promise.all(left.map(({ key }) => store.liveTexts.read(key, 0, 0)));
    expect(texts.map(({ length }) => length)).toEqual([1, 0]);
    const database = new DatabaseSync(join(home, 'store.sqlite'), { readOnly: true });
    const rows = database.prepare("SELECT count(*) AS n FROM replies WHERE key LIKE ? || '/%'").get(goneRun);
    database.close();
    expect(rows?.['n']).toBe(0);

    expect(await reprise.getRun(kept.workflowId).show({ home, prompts: true })).toEqual(shownBefore);
    expect(shownBefore.notes).toEqual([]);
    await open.signal('answer', { questionId: question.questionId, answer: 'Light' });
    expect(await open.result()).toMatchObject({ answer: 'Told: Light.' });

    // A reset goes back to where the question was answered, and needs the conversation up to there.
    const events = (await kept.fetchHistory()).events ?? [];
    const signal = events.findIndex(({ workflowExecutionSignaledEventAttributes: signaled }) => signaled);
    const finished = events.slice(signal).find(({ workflowTaskCompletedEventAttributes: completed }) => completed);
    const { runId } = await client.workflowService.resetWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: kept.workflowId, runId: (await kept.describe()).runId },
      workflowTaskFinishEventId: finished?.eventId ?? null,
      requestId: 'reset',
      reason: 'test',
    });
    expect(await client.workflow.getHandle(kept.workflowId, runId ?? '').result()).toMatchObject({
      answer: 'Told: Dark.',
    });
    await store.close();
  },
);

test('a store that another namespace uses too, which is not on this server, is left alone', async () => {
  const run = shared(asks());
  const store = openStore(run.home, {});
  await store.joinNamespace('0000-elsewhere', 'elsewhere');
  await expect(pruneStore(store, run.client, settings)).rejects.toThrow(
    /Runs of the namespace elsewhere \(0000-elsewhere\) use this store too, and it is not on this server.*--forget 0000-elsewhere/s,
  );
  const forget = '0000-elsewhere';
  await pruneStore(store, run.client, { ...settings, forget, isDry: true });
  expect([...(await store.sweep.namespaces()).keys()]).toContain(forget);
  await pruneStore(store, run.client, { ...settings, forget });
  expect([...(await store.sweep.namespaces()).keys()]).not.toContain(forget);
  await store.close();
});

test('a store that no worker has used is left alone, and named', async () => {
  const run = shared(asks());
  const store = openStore(mkdtempSync(join(tmpdir(), 'reprise-prune-')), {});
  await expect(pruneStore(store, run.client, settings)).rejects.toThrow(
    'No worker has begun on the store, SQLite in x',
  );
  await store.close();
});
