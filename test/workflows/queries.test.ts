import { expect, test } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import type { TeamState } from '../../src/protocol/state.ts';
import { running } from '../support/running.ts';

// Otherwise its replay takes signals and updates of the next task after what follows from the local activity.
test('a query that comes with a task does not end it between a local activity and what follows from that', async () => {
  await using run = await running(() => ({ text: 'Hello.' }));
  const config = { agents: [{ id: 'a', backend: { type: 'openai', model: 'm' } }], idle_timeout: 600 };
  await (await run.startSession({ config, text: 'Hi' })).result();
  // What comes before a worker has taken a run comes with its first workflow task.
  await run.replaceWorker({}, 'nowhere');
  const sessions: WorkflowHandle[] = [];
  for (let number = 0; number < 40; number++) sessions.push(await run.startSession({ config }));
  const asked = sessions.map((session) => session.query<TeamState>('state'));
  // A turn that comes a little later is likely to come while the first task is done.
  const turns = sessions.map(async (session) => {
    await asked[0]?.catch(() => {});
    return session.executeUpdate('handleText', { args: ['Hi'] });
  });
  await run.replaceWorker({});
  for (const state of await Promise.all(asked)) expect(state.workflow).toBe('session');
  await Promise.all(turns);
  for (const session of sessions) {
    const { events = [] } = await session.fetchHistory();
    const left = events?.filter(
      ({ markerRecordedEventAttributes: marker }, index) =>
        marker?.markerName === 'core_local_activity' &&
        events?.[index + 1]?.workflowTaskScheduledEventAttributes != null,
    );
    expect(left?.map(({ eventId }) => Number(eventId))).toEqual([]);
  }
});
