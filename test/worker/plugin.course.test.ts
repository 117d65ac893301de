import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { findOrchestrators } from '../../src/config/extensions.ts';
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

test('a worker of one’s own runs its workflows and ours, and custom orchestrators; one that cannot be bundled is left out, as by any worker', async () => {
  writeFileSync(join(configFolder, 'files.ts'), `import 'node:fs';\n${orchestrator('return text;')}`);
  const taskQueue = `plugin-${process.pid}`;
  const own = { connection: native, taskQueue, workflowsPath, activities: { greet } };
  const worker = await Worker.create({ ...own, plugins: [plugin()] });
  const { workflow } = new Client({ connection });
  await worker.runUntil(async () => {
    const start = (type: string, args: unknown[]): Promise<unknown> =>
      workflow.execute(type, { taskQueue, workflowId: `${taskQueue}-${type}`, args });
    const chat = (module: string): Promise<unknown> => start('session', [{ config: configOf(module), text: 'Hi.' }]);
    expect(await start('triage', ['Which colour?'])).toMatch(/^agent_\w+ answers: .+/);
    expect(await chat('./mine.ts')).toMatchObject({ answer: 'Mine: Hi.' });
    await expect(chat('./files.ts')).rejects.toMatchObject({
      cause: {
        type: 'InvalidInput',
        message:
          './files.ts was left out when this worker started: it imports node:fs, which code that runs in workflows cannot have ' +
          '(docs/custom-orchestrators.md). Custom orchestrators of this worker: ./mine.ts',
      },
    });
  });
});

test('where no folder is named nothing is looked for, so that a file of somebody else’s program does not matter', () => {
  // The tests run in a folder with an orchestrator among its examples.
  expect(findOrchestrators('.')).not.toEqual([]);
  const entry = readFileSync(new ReprisePlugin({ home }).configureBundler({ workflowsPath }).workflowsPath, 'utf8');
  expect(entry).toContain(workflowsPath);
  expect(entry).not.toContain(resolve('examples/custom'));
});

test('types that neither exports are the business of one’s own workflows', () => {
  const { workflowsPath: entry } = new ReprisePlugin({ home }).configureBundler({ workflowsPath });
  const modules: Record<string, object> = {
    load: { registerOrchestrators() {} },
    index: { orchestration: 'ours', default: 'ours' },
    workflows: { triage: 'own' },
  };
  const required = (path: string): object => modules[basename(path, extname(path))] ?? {};
  const module = { exports: {} };
  runInNewContext(readFileSync(entry, 'utf8'), { module, require: required });
  expect(module.exports).toEqual({ orchestration: 'ours', triage: 'own', default: undefined });
});

test('a worker without workflows of its own has ours', () => {
  const joining = new ReprisePlugin({ home });
  const { workflowsPath: ours = '' } = joining.configureWorker({ connection: native, taskQueue: 'plugin-alone' });
  expect(readFileSync(joining.configureBundler({ workflowsPath: ours }).workflowsPath, 'utf8')).not.toContain(
    'default:',
  );
});

test('a plugin is one worker’s, since the end of one would close the store of another', () => {
  const joining = new ReprisePlugin({ home });
  joining.configureWorker({ connection: native, taskQueue: 'plugin-one', workflowsPath });
  expect(() => joining.configureWorker({ connection: native, taskQueue: 'plugin-two', workflowsPath })).toThrow(
    'A ReprisePlugin belongs to one worker',
  );
});

test('two workers that begin at the same time have each its own workflows', () => {
  const entries = [workflowsPath, `${workflowsPath}x`].map(
    (path) => new ReprisePlugin({ home }).configureBundler({ workflowsPath: path }).workflowsPath,
  );
  expect(new Set(entries)).toHaveLength(2);
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
  // When a worker has ended, the next one may have its plugin.
  expect(() => joining.configureWorker({ connection: native, taskQueue: 'plugin-next', workflowBundle })).not.toThrow();
});

test('without a connection it says what it needs', async () => {
  await expect(Worker.create({ taskQueue: 'x', workflowsPath, plugins: [plugin()] })).rejects.toThrow(
    'ReprisePlugin needs the connection of the worker',
  );
});
