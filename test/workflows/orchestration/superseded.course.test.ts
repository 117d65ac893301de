import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/protocol/events.ts';
import { sharedRunning, type SharedRunning } from '../../support/running.ts';
import { answer, teamOf, teamScript, vote } from '../../support/team-script.ts';

const running = sharedRunning();

const pausing = ({ client }: SharedRunning, { workflowId }: WorkflowHandle) => {
  const of = { namespace: 'default', workflowId, identity: 'a test', reason: 'both in one task' };
  return {
    pause: () => client.workflowService.pauseWorkflowExecution({ ...of, requestId: 'pause' }),
    goOn: () => client.workflowService.unpauseWorkflowExecution({ ...of, requestId: 'go on' }),
  };
};

async function completedIn(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).filter((event) => event.activityTaskCompletedEventAttributes).length;
}

test.each([
  ['as a call', (content: string) => answer(content)],
  ['as a text', (content: string) => ({ text: JSON.stringify({ name: 'new_answer', arguments: { content } }) })],
])('answers that come together in a round of voting all count, the second one %s', async (_, written) => {
  const held = Promise.withResolvers<void>();
  const reached = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
  let voting = 0;
  const long = 'A better answer of b. '.repeat(1000);
  const run = running(
    teamScript({
      answer: ({ agent }) => answer(`Answer of ${agent}.`),
      vote: async ({ agent }) => {
        if (++voting > 2) return vote('agent2');
        reached[agent as 'a' | 'b'].resolve();
        await held.promise;
        return agent === 'a' ? answer('A better answer of a.') : written(long);
      },
    }),
  );
  const handle = await run.start({ task: 'T', config: teamOf(['a', 'b'], { type: 'openai' }) });
  const { goOn, pause } = pausing(run, handle);
  await Promise.all([reached.a.promise, reached.b.promise]);
  await pause();
  const before = await completedIn(handle);
  held.resolve();
  await expect.poll(() => completedIn(handle)).toBe(before + 2);
  await goOn();
  await handle.result();
  const events = await handle.query<RunEvent[]>('events');
  const answers = events.flatMap((event) => (event.type === 'answer' && event.number === 2 ? [event.agent] : []));
  expect(answers.toSorted()).toEqual(['a', 'b']);
});
