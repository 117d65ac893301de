import { expect, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { startHookServer } from '../support/hook-server.ts';
import { startModelServer } from '../support/model-server.ts';
import { runningMachine } from '../support/processes.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

test('a webhook whose sender is killed before it is acknowledged is sent again by another worker under the same id', async ({
  onTestFinished,
}) => {
  const hooks = await startHookServer();
  onTestFinished(() => hooks.close());
  hooks.answers.push(() => {});
  const machine = await runningMachine({ onTestFinished }, await startModelServer(teamScript()));
  const reprise = await connect({ address: machine.address });
  onTestFinished(() => reprise.close());
  const config = teamOf(['agent_a'], { type: 'openai' }, { max_orchestration_restarts: 0 });
  const notify = [{ url: hooks.url, events: ['final' as const] }];
  const run = await reprise.startOrchestration({ task: 'T', config: { ...config, notify } });
  await run.result();
  await expect.poll(() => hooks.received).toHaveLength(1);
  await machine.killWorker();
  await machine.startWorker();
  await expect.poll(() => hooks.received).toHaveLength(2);
  const [first, second] = hooks.received.map(({ headers }) => headers['webhook-id']);
  expect(first).toMatch(/^msg_/);
  expect(second).toBe(first);
});
