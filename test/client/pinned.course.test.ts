import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NativeConnection } from '@temporalio/worker';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { noOrchestrators } from '../../src/config/extensions.ts';
import { quietRuntime } from '../../src/worker/quiet-runtime.ts';
import { createWorker } from '../../src/worker.ts';
import { agentOf } from '../support/agent-script.ts';
import { startModelServer } from '../support/model-server.ts';

test('a run or a turn that is pinned to a version which Temporal has not heard of yet waits until it has', async () => {
  quietRuntime();
  const { address, bundle } = inject('temporal');
  const home = mkdtempSync(join(tmpdir(), 'reprise-pinned-'));
  const taskQueue = `pinned-${process.pid}`;
  const buildId = `build-${process.pid}`;
  const model = await startModelServer(() => ({ text: 'Blue.' }));
  const native = await NativeConnection.connect({ address });
  const reprise = await connect({ address, taskQueue, buildId, home });
  onTestFinished(async () => {
    await Promise.all([reprise.close(), native.close(), model.close()]);
  });
  const input = { config: agentOf('openai', { simple: {} }) };
  const run = reprise.startSession({ ...input, text: 'Which color?' });
  const session = reprise.getSession(`pinned-${process.pid}`, input);
  const turn = session.send('Which color?');
  // By then Temporal has refused both.
  const versioningOverride = { pinnedTo: { deploymentName: 'reprise', buildId } };
  const plain = { taskQueue, workflowId: `${taskQueue}-plain`, versioningOverride };
  await expect(reprise.client.workflow.start('session', plain)).rejects.toThrow('Failed to start Workflow');

  const worker = await createWorker({
    connection: native,
    namespace: 'default',
    home,
    configFolder: home,
    variables: { OPENAI_API_KEY: 'test-key-openai', OPENAI_BASE_URL: model.openai },
    bundle: { codePath: bundle, orchestrators: noOrchestrators },
    taskQueue,
    version: { buildId, behavior: 'PINNED' },
  });
  await worker.runUntil(async () => {
    expect(await (await run).result()).toMatchObject({ answer: 'Blue.' });
    expect(await turn).toMatchObject({ answer: 'Blue.' });
    await session.close();
    await session.result();
  });
});
