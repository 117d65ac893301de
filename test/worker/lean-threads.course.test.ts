import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import workerThreads from 'node:worker_threads';
import { expect, test } from 'vitest';
import { withLeanThreads } from '../../src/worker/lean-threads.ts';
import { running } from '../support/running.ts';

test('no time goes into call stacks of what waits, and a run that waits answers as ever', async () => {
  await using run = await running(() => ({ text: 'Yes.' }));
  const handle = await run.startSession({});
  expect(await handle.query('state')).toMatchObject({ workflow: 'session' });
  expect(await handle.query('__stack_trace')).toBe('');
  await handle.signal('close');
  expect(await handle.result()).toMatchObject({ outcome: 'answered' });
});

/** A thread that makes each call of the SDK into a workflow for longer than the call may take. */
const thread = `
  import vm from 'node:vm';
  import { parentPort } from 'node:worker_threads';
  const context = vm.createContext({ Date });
  const script = new vm.Script('for (const end = Date.now() + 300; Date.now() < end; );');
  const limited = ['initRuntime', 'initialize', 'activate', 'tryUnblockConditions', 'concludeActivation', 'dispose'].filter((call) => {
    context.__temporal_args = [{}, call, []];
    try {
      script.runInContext(context, { timeout: 100, displayErrors: true });
      return false;
    } catch (error) {
      if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      return true;
    }
  });
  parentPort.postMessage(limited);
`;

test.each([
  ['of Reprise alone are limited once a step', false, ['activate']],
  [
    'with custom orchestrators are all limited',
    true,
    ['initRuntime', 'initialize', 'activate', 'tryUnblockConditions', 'concludeActivation', 'dispose'],
  ],
])('calls into workflows %s', async (_, hasOthersCode, limited) => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-thread-'));
  const file = join(folder, 'workflow-worker-thread.mjs');
  writeFileSync(file, thread);
  const started = await withLeanThreads(hasOthersCode, async () => new workerThreads.Worker(file));
  expect((await once(started, 'message'))[0]).toEqual(limited);
  await started.terminate();
  rmSync(folder, { recursive: true });
});

test('a thread keeps what it compiles where its process does, without a variable that all commands would inherit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-thread-'));
  const file = join(folder, 'workflow-worker-thread.cjs');
  writeFileSync(file, "console.log(require('node:module').getCompileCacheDir())");
  const script = `
    import { enableCompileCache, getCompileCacheDir } from 'node:module';
    import workerThreads from 'node:worker_threads';
    import { withLeanThreads } from '${new URL('../../src/worker/lean-threads.ts', import.meta.url).href}';
    enableCompileCache(${JSON.stringify(folder)});
    console.log(getCompileCacheDir());
    await withLeanThreads(false, async () => new workerThreads.Worker(${JSON.stringify(file)}));`;
  const words = ['--input-type=module', '-e', script];
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', env: {} });
  const [ofProcess, ofThread] = stdout.split('\n');
  expect(ofProcess).toContain(folder);
  expect(ofThread).toBe(ofProcess);
  rmSync(folder, { recursive: true });
});
