import { expect, test } from 'vitest';
import { sharedRunning } from '../support/running.ts';
import { teamScript } from '../support/team-script.ts';

const shared = sharedRunning();

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
