import { afterEach, expect, inject, test } from 'vitest';
import { connect, newRunId, type Look, type Reprise, type RunEvent } from '../src/client.ts';
import { running, type Running } from './support/running.ts';
import { answer, submit, teamOf, teamScript } from './support/team-script.ts';

const config = teamOf(['agent_a', 'agent_b'], { type: 'openai' });

let cleanUp: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const step of cleanUp.toReversed()) await step();
  cleanUp = [];
});

async function open(script = teamScript()): Promise<{ set: Running; reprise: Reprise }> {
  const set = await running(script);
  const reprise = await connect({ address: inject('temporal').address, taskQueue: set.taskQueue });
  cleanUp.push(
    () => set[Symbol.asyncDispose](),
    () => reprise.close(),
  );
  return { set, reprise };
}

test('a run is started with one call, found by its id, and has a summary in the Web UI', async () => {
  const { reprise } = await open();
  const run = await reprise.startOrchestration({ task: 'First line.\nSecond line.', config });
  expect(run.id).toMatch(/^ask-\d{8}-\d{6}-\w{6}$/);
  const result = await reprise.orchestration(run.id).result();
  expect(result).toMatchObject({ outcome: 'submitted', finalAgent: 'agent_a' });
  const description = await reprise.client.workflow.getHandle(run.id).describe();
  expect(await description.staticSummary()).toBe('First line.');
  expect(await run.isOpen()).toBe(false);
});

test('watch shows every event once and in order, the state, and the text in progress', async () => {
  const shown = Promise.withResolvers<void>();
  const { reprise } = await open(
    teamScript({
      answer: ({ agent }) => ({ ...answer(`A long answer of ${agent}. `.repeat(40)), pace: 50 }),
      decide: async () => {
        await shown.promise;
        return submit();
      },
    }),
  );
  const run = await reprise.startOrchestration({ task: 'Write.', config });
  const events: RunEvent[] = [];
  const texts: string[] = [];
  let last: Look | undefined;
  for await (const look of run.watch()) {
    events.push(...look.events);
    texts.push(...look.calls.flatMap(({ progress }) => progress?.partial ?? []));
    if (look.state?.phase === 'deciding') shown.resolve();
    last = look;
  }
  const { events: count } = await run.result();
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  expect(events.at(-1)).toMatchObject({ type: 'final', outcome: 'submitted' });
  expect(last?.state).toMatchObject({ phase: 'done', attempt: 1, selectedAgent: 'agent_a' });
  expect(texts.some((text) => text.includes('A long answer of agent_b.'))).toBe(true);
});

test('watch of a run that has ended shows all of it at once', async () => {
  const { reprise } = await open();
  const run = await reprise.startOrchestration({ task: 'Be quick.', config });
  const { events: count } = await run.result();
  const looks: Look[] = [];
  for await (const look of reprise.orchestration(run.id).watch()) looks.push(look);
  expect(looks.map(({ events }) => events.length)).toEqual([count]);
});

test('watch outlasts the absence of a worker, and tells of it', async () => {
  const { set, reprise } = await open();
  const elsewhere = await connect({
    address: inject('temporal').address,
    taskQueue: `${set.taskQueue}-empty`,
  });
  cleanUp.push(() => elsewhere.close());
  const run = await elsewhere.startOrchestration({ task: 'Wait.', config });
  for await (const { trouble } of run.watch()) {
    if (trouble === undefined) continue;
    await reprise.client.workflow.getHandle(run.id).terminate();
    break;
  }
  await expect(run.result()).rejects.toThrow(/terminated/);
});

test('watch of an unknown run throws', async () => {
  const { reprise } = await open();
  await expect(reprise.orchestration('nobody').watch().next()).rejects.toThrow(/not found/i);
});

test("a person's restart is asked for", async () => {
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const { reprise } = await open(
    teamScript({
      decide: async ({ attempt }) => {
        reached.resolve();
        if (attempt === 1) await held.promise;
        return submit();
      },
    }),
  );
  const run = await reprise.startOrchestration({ task: 'Do it.', config });
  await reached.promise;
  await run.requestRestart('Too short.', 'Say more.');
  expect((await run.result()).restarts).toEqual([
    { attempt: 1, reason: 'Too short.', instructions: 'Say more.' },
  ]);
  held.resolve();
});

test('run ids differ, and sort by time', () => {
  const ids = Array.from({ length: 1000 }, () => newRunId('ask'));
  expect(new Set(ids).size).toBe(1000);
});

test('where nobody answers, connecting fails in the time that is given', async () => {
  await expect(connect({ address: '127.0.0.1:1', connectTimeout: 200 })).rejects.toThrow(/connect/i);
});
