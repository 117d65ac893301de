import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { noOrchestrators } from '../../src/config/extensions.ts';
import { createWorker } from '../../src/worker.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

const running = sharedRunning();

const namespace = 'nexus-callers';

/** Workflows of another namespace, which call through endpoints. */
let callers: { client: Client; close: () => Promise<void> };
let connection: Connection;

beforeAll(async () => {
  const { address } = inject('temporal');
  connection = await Connection.connect({ address });
  const workflowExecutionRetentionPeriod = { seconds: 86_400 as never };
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
  const native = await NativeConnection.connect({ address });
  const workflowsPath = fileURLToPath(new URL('../support/nexus-caller.ts', import.meta.url));
  const worker = await Worker.create({ connection: native, namespace, taskQueue: 'callers', workflowsPath });
  const ended = worker.run();
  callers = {
    client: new Client({ connection, namespace }),
    async close() {
      worker.shutdown();
      await ended;
      await Promise.all([native.close(), connection.close()]);
    },
  };
});
afterAll(() => callers.close());

/** Calls an operation through an endpoint to a task queue, and returns what the caller gets of its result. */
async function called(taskQueue: string, input: object, of = 'default'): Promise<unknown> {
  const endpoint = `to-${taskQueue}`;
  const spec = { name: endpoint, target: { worker: { namespace: of, taskQueue } } };
  await connection.operatorService.createNexusEndpoint({ spec });
  const args = [endpoint, 'orchestration', input];
  return callers.client.workflow.execute('caller', { taskQueue: 'callers', workflowId: endpoint, args });
}

const config = teamOf(['agent1'], { type: 'openai' });

test('a workflow of another namespace has a team answer, by an operation of the service', async () => {
  const { taskQueue } = running(teamScript());
  expect(await called(taskQueue, { task: 'Why?', config })).toBe('The final answer, by agent1.');
});

test('so it does where the workers have versions, and what is wrong with an input reaches it', async () => {
  const run = running(teamScript());
  await using worker = await versionedWorker(run, `${run.taskQueue}-versioned`);
  const failure = (await called(worker.taskQueue, { task: 7 }, namespace).catch((error: unknown) => error)) as Error;
  expect(reasonsOf(failure)).toContain('task: 7 is not a string');
});

const reasonsOf = ({ cause, message }: Error): string[] => [
  message,
  ...(cause instanceof Error ? reasonsOf(cause) : []),
];

/** A worker of a version, which is the current one; in the namespace of the callers, where no other test has any. */
async function versionedWorker({ home, model }: SharedRunning, taskQueue: string) {
  const { address, bundle } = inject('temporal');
  const native = await NativeConnection.connect({ address });
  const buildId = `of-${taskQueue}`;
  const worker = await createWorker({
    connection: native,
    namespace,
    home,
    configFolder: home,
    variables: { OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: model.openai },
    bundle: { codePath: bundle, orchestrators: noOrchestrators },
    taskQueue,
    version: { buildId, behavior: 'PINNED' },
  });
  const ended = worker.run();
  const current = { namespace, deploymentName: 'reprise', buildId };
  // It is known a moment after it polls.
  await expect.poll(() => connection.workflowService.setWorkerDeploymentCurrentVersion(current)).toBeTruthy();
  return {
    taskQueue,
    async [Symbol.asyncDispose]() {
      worker.shutdown();
      await ended;
      await native.close();
    },
  };
}
