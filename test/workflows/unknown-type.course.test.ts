import { expect, test } from 'vitest';
import { sharedRunning } from '../support/running.ts';
import { teamScript } from '../support/team-script.ts';

const shared = sharedRunning();

test.each([
  ['nothing', []],
  ['null', [null]],
  ['what only an earlier run of it may say', [{ earlier: { run: {} } }]],
])('a session that is started with %s fails at once', async (what, args) => {
  const { client, taskQueue } = shared(teamScript());
  const options = { taskQueue, workflowId: `${taskQueue}-session-${what.length}`, args };
  await expect(client.workflow.execute('session', options)).rejects.toMatchObject({ cause: { type: 'InvalidInput' } });
});

test('a run of a mistyped workflow type fails at once, with the types that there are', async () => {
  const { client, taskQueue } = shared(teamScript());
  const options = { taskQueue, workflowId: `${taskQueue}-mistyped`, args: [{ task: 'T' }] };
  await expect(client.workflow.execute('orchestraton', options)).rejects.toMatchObject({
    cause: {
      type: 'InvalidInput',
      message:
        'There is no workflow type "orchestraton"; valid types: orchestration, planAndExecute, research, session',
    },
  });
});
