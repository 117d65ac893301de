import { expect, test } from 'vitest';
import { running } from '../support/running.ts';
import { answer, teamOf, teamScript } from '../support/team-script.ts';

const config = teamOf(['agent_a', 'agent_b'], { type: 'openai' }, { max_orchestration_restarts: 0 });

/** Forty runs of one user, then one of another, on a worker that makes two calls at once. @returns whose calls came when */
async function flooded(): Promise<string[]> {
  const order: string[] = [];
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const script = teamScript({ answer: () => answer('An answer.') });
  await using run = await running(
    async (seen) => {
      order.push(/Task of (many|one)/.exec(seen.prompt)?.[1] ?? '');
      if (order.length === 2) begun.resolve();
      await held.promise;
      return script(seen);
    },
    { REPRISE_SLOTS: 'activities=2' },
  );
  const start = (name: string, key: string) =>
    run.client.workflow.start('orchestration', {
      taskQueue: run.taskQueue,
      workflowId: `${run.taskQueue}-${name}`,
      args: [{ task: `Task of ${name}.`, config }],
      priority: { fairnessKey: key },
    });
  const many = await Promise.all(Array.from({ length: 40 }, (_, index) => start(`many-${index}`, 'a')));
  await begun.promise;
  const one = await start('one', 'b');
  for (const handle of [...many, one]) {
    // No event tells that its calls wait at the server.
    while (((await handle.describe()).raw.pendingActivities ?? []).length === 0) await pause(20);
  }
  held.resolve();
  await Promise.all([...many, one].map((handle) => handle.result()));
  return order;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("a user's one run does not wait for the forty of another user that were started before", async () => {
  const order = await flooded();
  expect(order.filter((name) => name === 'one').length).toBeGreaterThan(2);
  // With two calls at once, it comes nearly every second time.
  expect(order.lastIndexOf('one')).toBeLessThan(order.length / 4);
});
