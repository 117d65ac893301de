import { WorkflowClient, type WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { whyUnserved } from '../../src/client/pollers.ts';

const pinned = 1;
const autoUpgrade = 2;

/** A run with what Temporal tells of its version, at whose queue a worker of the version `new` polls. */
function runOf(versioningInfo: object): WorkflowHandle {
  const service = {
    describeTaskQueue: async () => ({
      pollers: [{ identity: '1@elsewhere', deploymentOptions: { buildId: 'new' } }],
    }),
    getWorkflowExecutionHistoryReverse: async () => ({ history: { events: [] } }),
  };
  const client = new WorkflowClient({ connection: { workflowService: service } as never });
  const raw = { workflowExecutionInfo: { versioningInfo } };
  client.getHandle = () => ({ describe: async () => ({ raw, taskQueue: 'reprise' }) }) as never;
  return { client, workflowId: 'q1' } as unknown as WorkflowHandle;
}

const of = (buildId: string) => ({ deploymentName: 'reprise', buildId });

test.each([
  ['is pinned to it by itself', { behavior: pinned, deploymentVersion: of('old') }, 'version old'],
  ['was started on it', { versioningOverride: { pinned: { version: of('old') } } }, 'version old'],
  ['is pinned to one that polls', { behavior: pinned, deploymentVersion: of('new') }, undefined],
  ['goes on with any version', { behavior: autoUpgrade, deploymentVersion: of('old') }, undefined],
  [
    'was let go to any',
    { behavior: pinned, deploymentVersion: of('old'), versioningOverride: { autoUpgrade: true } },
    undefined,
  ],
])('a run whose version nobody serves says which that is: one that %s', async (_, info, expected) => {
  const why = await whyUnserved(runOf(info));
  if (expected === undefined) expect(why).toBeUndefined();
  else expect(why?.message).toContain(`No worker of the ${expected} polls, to which the run q1 is pinned`);
});
