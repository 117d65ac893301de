import { expect, test } from 'vitest';
import { Reprise } from '../../src/client/reprise.ts';
import { TemporalRuns } from '../../src/client/temporal/runs.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import { asks, askingTeam } from '../support/asking.ts';
import { sharedRunning } from '../support/running.ts';

const shared = sharedRunning();

test('a run that somebody has paused is open: it is listed, waited for, and goes on', async () => {
  const run = shared(asks('Which color?'));
  const { client, home, taskQueue } = run;
  const reprise = new Reprise(new TemporalRuns(client, client.connection, { taskQueue, home, environment: {} }));
  const { workflowId } = await run.start({ task: 'T', config: askingTeam(3000) });
  const paused = reprise.getRun(workflowId);
  await expect.poll(() => paused.pendingQuestions()).toHaveLength(1);
  const of = { namespace: 'default', workflowId, identity: 'a person', reason: 'later' };
  await client.workflowService.pauseWorkflowExecution({ ...of, requestId: 'pause' });
  expect(await paused.isOpen()).toBe(true);
  await paused.assertOpen();
  expect(await paused.show()).toMatchObject({ status: 'paused', endedAt: null });
  await expect
    .poll(async () => (await reprise.list({ open: true, limit: 200 })).find(({ id }) => id === workflowId))
    .toMatchObject({ status: 'paused', outcome: null });
  const events: RunEvent[] = [];
  const troubled = Promise.withResolvers<string>();
  const watched = (async () => {
    for await (const { events: more, trouble } of paused.watch()) {
      events.push(...more);
      if (trouble !== undefined) troubled.resolve(trouble.message);
    }
  })();
  expect(await troubled.promise).toBe('the run is paused');
  // What comes for it meanwhile waits with it.
  await paused.answer({ answer: 'Dark' });
  await client.workflowService.unpauseWorkflowExecution({ ...of, requestId: 'unpause' });
  await watched;
  expect(events.at(-1)).toMatchObject({ type: 'final', answer: 'Told: Dark.' });
});
