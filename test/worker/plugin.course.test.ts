import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { ReprisePlugin } from '../../src/worker.ts';
import { quietRuntime } from '../../src/worker/quiet-runtime.ts';
import { folderOf, orchestrator, configOf } from '../support/extensions.ts';
import { startModelServer, type ModelServer } from '../support/model-server.ts';
import { answer, teamScript } from '../support/team-script.ts';

/** The example's workflow calls ours as a child: both are in one worker. */
const workflowsPath = fileURLToPath(new URL('../../examples/own-worker/workflows.ts', import.meta.url));

let home: string;
let configFolder: string;
let model: ModelServer;
let native: NativeConnection;
let connection: Connection;

beforeEach(async () => {
  quietRuntime();
  const { address } = inject('temporal');
  home = mkdtempSync(join(tmpdir(), 'reprise-plugin-'));
  configFolder = folderOf({ 'mine.ts': orchestrator('return `Mine: ${text}`;') });
  model = await startModelServer(teamScript({ answer: () => answer('Blue.') }));
  native = await NativeConnection.connect({ address });
  connection = await Connection.connect({ address });
});

afterEach(async () => {
  await connection.close();
  await native.close();
  await model.close();
  rmSync(home, { recursive: true, force: true });
  rmSync(configFolder, { recursive: true, force: true });
});

const plugin = () =>
  new ReprisePlugin({
    home,
    configFolder,
    allow: ['modules'],
    variables: { OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: model.openai },
  });

async function greet(name: string): Promise<string> {
  return `Hello, ${name}.`;
}

test('a worker of one’s own runs its workflows and activities, ours, and custom orchestrators', async () => {
  const taskQueue = `plugin-${process.pid}`;
  const own = { connection: native, taskQueue, workflowsPath, activities: { greet } };
  const worker = await Worker.create({ ...own, plugins: [plugin()] });
  const { workflow } = new Client({ connection });
  await worker.runUntil(async () => {
    const start = (type: string, args: unknown[]) =>
      workflow.execute(type, { taskQueue, workflowId: `${taskQueue}-${type}`, args });
    expect(await start('triage', ['Which colour?'])).toMatch(/^agent_\w+ answers: .+/);
    expect(await start('session', [{ config: configOf('./mine.ts'), text: 'Hi.' }])).toMatchObject({
      answer: 'Mine: Hi.',
    });
  });
});

test('so does one whose workflows were bundled beforehand, with the same plugin', async () => {
  const taskQueue = `plugin-bundled-${process.pid}`;
  const joining = plugin();
  const workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [joining] });
  const worker = await Worker.create({ connection: native, taskQueue, workflowBundle, plugins: [joining] });
  const { workflow } = new Client({ connection });
  await worker.runUntil(async () => {
    const options = { taskQueue, workflowId: taskQueue, args: ['Which colour?'] };
    expect(await workflow.execute('triage', options)).toMatch(/^agent_\w+ answers: .+/);
  });
});

test('without a connection it says what it needs', async () => {
  await expect(Worker.create({ taskQueue: 'x', workflowsPath, plugins: [plugin()] })).rejects.toThrow(
    'ReprisePlugin needs the connection of the worker',
  );
});
