import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { startModelServer } from '../support/model-server.ts';
import { startCollector } from '../support/otlp.ts';
import { Machine } from '../support/processes.ts';
import { restart, submit, teamOf, teamScript, vote } from '../support/team-script.ts';

test('a worker that is killed loses the spans it was making; its successor makes each of the others once', async () => {
  const collector = await startCollector();
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let votes = 0;
  const model = await startModelServer(
    teamScript({
      async vote({ attempt }) {
        if (attempt === 2 && votes++ === 0) {
          reached.resolve();
          await released.promise;
        }
        return vote('agent1');
      },
      decide: ({ attempt }) => (attempt === 1 ? restart('Again.', 'Better.') : submit()),
    }),
  );
  const machine = new Machine({
    OPENAI_API_KEY: 'test-key',
    OPENAI_BASE_URL: model.openai,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  onTestFinished(async () => {
    await Promise.all([machine.killWorker(), machine.killServer(), model.close(), collector.close()]);
    rmSync(machine.home, { recursive: true, force: true });
  });
  await machine.startServer();
  await machine.startWorker();
  await using reprise = await connect({ address: machine.address });
  const run = await reprise.startOrchestration({ task: 'T', config: teamOf(['agent_a'], { type: 'openai' }) });
  await reached.promise;
  const named = (name: string) => collector.spans.filter((span) => span.name === name);
  await expect.poll(() => named('invoke_agent agent_a').length).toBe(1);
  await machine.killWorker();
  released.resolve();
  await machine.startWorker();
  await run.result();

  await expect.poll(() => named('invoke_workflow orchestration').length).toBe(1);
  const [root] = named('invoke_workflow orchestration');
  expect(new Set(collector.spans.map(({ trace }) => trace))).toEqual(new Set([root?.trace]));
  expect(new Set(collector.spans.map(({ id }) => id)).size).toBe(collector.spans.length);
  expect(named('invoke_agent agent_a').map(({ attributes }) => attributes['reprise.attempt'])).toEqual([1, 2]);
  const chats = collector.spans.filter(({ name }) => name.startsWith('chat '));
  const calls = chats.map(({ attributes }) => attributes['temporalActivityId']);
  expect(new Set(calls).size).toBe(calls.length);
  expect(chats.filter(({ attributes }) => attributes['reprise.try'] === 2)).toHaveLength(1);
  for (const { parent } of chats) expect(named('invoke_agent agent_a').map(({ id }) => id)).toContain(parent);
});
