import proto from '@temporalio/proto';
import { expect, test } from 'vitest';
import { running, type Running } from '../support/running.ts';
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
      return { ...(await script(seen)), delay: 100 };
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
  // The calls of the first runs are under way, and all others wait to be prepared. No event tells that they wait at the server.
  while ((await waitingCalls(run)) < many.length) await pause(50);
  held.resolve();
  await Promise.all([...many, one].map((handle) => handle.result()));
  return order;
}

async function waitingCalls({ client, taskQueue }: Running): Promise<number> {
  const { stats } = await client.workflowService.describeTaskQueue({
    namespace: 'default',
    taskQueue: { name: taskQueue },
    taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    reportStats: true,
  });
  return Number(stats?.approximateBacklogCount ?? 0);
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("a user's one run does not wait for the forty of another user that were started before", async () => {
  const order = await flooded();
  expect(order.filter((name) => name === 'one').length).toBeGreaterThan(2);
  // In the order of their starts it would be among the last. While its workflow goes on, others come: on a busy machine, many.
  expect(order.lastIndexOf('one')).toBeLessThan((order.length * 3) / 4);
});
