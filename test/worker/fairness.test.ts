import { expect, test } from 'vitest';
import { agentOf } from '../support/agent-script.ts';
import { running } from '../support/running.ts';

const config = agentOf('openai', { simple: {} });

/** Makes three calls one after the other for each run, on a worker that makes two at once. */
test.for([
  { who: 'another user', fairnessKey: 'b' },
  { who: 'the same user', fairnessKey: 'a' },
])('forty runs of one user, then one of $who: $fairnessKey', async ({ fairnessKey }) => {
  const order: string[] = [];
  let release: () => void = () => {};
  const isHeld = new Promise<void>((resolve) => (release = resolve));
  await using run = await running(
    async ({ prompt }) => {
      order.push(/text of (\w+)/.exec(prompt)?.[1] ?? '');
      await isHeld;
      return { text: 'Done.' };
    },
    { REPRISE_SLOTS: 'activities=2' },
  );
  const start = (name: string, key: string) =>
    run.client.workflow.start('session', {
      taskQueue: run.taskQueue,
      workflowId: `${run.taskQueue}-${name}`,
      args: [{ config, text: `text of ${name}` }],
      priority: { fairnessKey: key },
    });
  const many = await Promise.all(Array.from({ length: 40 }, (_, index) => start(`a${index}`, 'a')));
  // Two of them are being made, and the others wait at the server.
  while (order.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  const one = await start('single', fairnessKey);
  const waiting = async (handle: typeof one): Promise<boolean> =>
    ((await handle.describe()).raw.pendingActivities ?? []).length > 0;
  for (const handle of [...many, one]) while (!(await waiting(handle))) await new Promise((r) => setTimeout(r, 10));
  release();
  await Promise.all([...many, one].map((handle) => handle.result()));
  expect(order).toHaveLength(41);
  console.log(order.indexOf('single'), order.join(' '));
});
