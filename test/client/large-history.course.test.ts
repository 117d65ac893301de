import { expect, inject, test } from 'vitest';
import { connect } from '../../src/client.ts';

test('a run whose history comes in more than the 4 MB that gRPC takes by itself is shown', async () => {
  const { address } = inject('temporal');
  await using reprise = await connect({ address, taskQueue: 'nobody-polls' });
  const handle = await reprise.client.workflow.start('session', {
    workflowId: 'large-history',
    taskQueue: 'nobody-polls',
    args: [{}],
  });
  for (let count = 0; count < 5; count++) await handle.signal('handleText', 'x'.repeat(1_000_000));
  expect(await reprise.getRun('large-history').show()).toMatchObject({ id: 'large-history', status: 'running' });
  await handle.terminate();
});
