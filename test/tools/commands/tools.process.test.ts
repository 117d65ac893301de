import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { CallToolResult } from '../../../src/protocol/tools/tool.ts';
import { canKeepTogether } from '../../../src/tools/commands/local.ts';
import { Trees } from '../../../src/tools/workspaces/tree.ts';
import { toolBench, type ToolBench } from '../../support/tool-bench.ts';
import { firstWords } from '../../support/first-words.ts';

let bench: ToolBench;
afterEach(() => bench.close());

const environment = { REPRISE_ALLOW_COMMANDS: 'local' };
const source = { package: 'builtin.command.local' };

/** Runs a command over a tree, as an agent would. */
function run(command: string, tree: string | null = null, more: object = {}): Promise<CallToolResult> {
  const tool = { name: 'run_command', source, timeout: 720, workspace: { tree, mounts: [] } };
  return bench.call(tool, { command, ...more }).result;
}

async function filesOf(tree: string | null | undefined): Promise<Record<string, string>> {
  const files = await new Trees(bench.store).read(tree ?? null);
  const texts = [...files].map(async ([path, { id }]) => [path, Buffer.from(await bench.store.object(id)).toString()]);
  return Object.fromEntries(await Promise.all(texts)) as Record<string, string>;
}

describe('a local command', () => {
  test('changes the files of its agent, and the next one finds them', async () => {
    bench = toolBench({}, environment);
    const first = await run('mkdir -p a && echo one > a/b && echo out; echo err >&2');
    expect(first).toMatchObject({ status: 'ok', text: 'out\nerr\n[exit code 0]' });
    expect(await filesOf(first.tree)).toEqual({ 'a/b': 'one\n' });
    const second = await run('cat a/b; echo two >> a/b; exit 3', first.tree);
    expect(second.text).toBe('one\n[exit code 3]');
    expect(await filesOf(second.tree)).toEqual({ 'a/b': 'one\ntwo\n' });
    // It starts from the tree that it is given, whatever the kept folder has.
    const again = await run('cat a/b', first.tree);
    expect(again).toMatchObject({ text: 'one\n[exit code 0]' });
    expect(again.tree).toBeUndefined();
  });

  test('is ended after its time, and what it has changed is kept', async () => {
    bench = toolBench({}, environment);
    const { text, tree } = await run('echo begun | tee file; sleep 1000', null, { timeout: 10 });
    expect(text).toBe('begun\n[ended, since it had run for 10 seconds]');
    expect(await filesOf(tree)).toEqual({ file: 'begun\n' });
  });

  test('shows what it prints while it runs', async () => {
    bench = toolBench({}, environment);
    const tool = { name: 'run_command', source, timeout: 720, workspace: { tree: null, mounts: [] } };
    const { environment: activity, result } = bench.call(tool, { command: 'echo begun; sleep 1000', timeout: 600 });
    const shown = new Promise((resolve) => {
      activity.on('heartbeat', (details: { partial?: string } | undefined) => {
        if (details?.partial !== undefined) resolve(details);
      });
    });
    expect(await shown).toEqual({ partial: 'begun\n', characters: 6, attempt: 1, agent: 'agent_a' });
    activity.cancel('CANCELLED');
    await expect(result).rejects.toThrow(/CANCELLED/);
  });

  test('shows no secret of the worker in what it prints while it runs', async () => {
    bench = toolBench({}, { ...environment, BRAVE_API_KEY: 'zq7-a-secret-key' });
    const tool = { name: 'run_command', source, timeout: 720, workspace: { tree: null, mounts: [] } };
    const printed = `found zq7-a-secret-key ${'x'.repeat(3990)}`;
    const call = bench.call(tool, { command: `echo "${printed}"; sleep 1000`, timeout: 600 });
    const shown = new Promise<string>((resolve) => {
      call.environment.on('heartbeat', (details: { partial?: string } | undefined) => {
        if (details?.partial !== undefined) resolve(details.partial);
      });
    });
    expect(await shown).toBe(`found [redacted] ${'x'.repeat(3990)}\n`.slice(-4000));
    call.environment.cancel('CANCELLED');
    await expect(call.result).rejects.toThrow(/CANCELLED/);
  });

  test('ends with its worker, however that ends', async () => {
    bench = toolBench({}, environment);
    if (!(await canKeepTogether())) {
      console.warn(
        'SKIPPED: this system has no namespaces for users, so that a command may outlive a worker that is killed',
      );
      return;
    }
    const module = new URL('../../../src/tools/commands/local.ts', import.meta.url).href;
    const code = `import { runLocally } from '${module}';
      const print = () => console.log('running');
      await runLocally({ command: 'echo begun; exec 9>lock; flock 9; sleep 1000', folder: '${bench.folder}',
        scratch: '${bench.folder}', timeout: 600, signal: new AbortController().signal, onOutput: print });`;
    const worker = spawn(process.execPath, ['--input-type=module-typescript', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await firstWords(worker);
    worker.kill('SIGKILL');
    // The lock is free once every process that has the file open is gone.
    expect(spawnSync('flock', ['-w', '60', join(bench.folder, 'lock'), 'true']).status).toBe(0);
  });

  test('that a dead worker may have run is not run again', async () => {
    bench = toolBench({}, environment);
    const listed = await bench.list({ packages: ['builtin.command.local'] });
    const [tool] = listed.tools;
    expect(tool).toMatchObject({ sideEffects: 'once', workspace: 'writes', readsOn: true });
    const again = { name: 'run_command', source, timeout: 720, sideEffects: 'once' as const };
    const call = { ...again, workspace: { tree: null, mounts: [] } };
    const { status, text } = await bench.call(call, { command: 'touch a' }, { attempt: 2 }).result;
    expect({ status, text }).toEqual({ status: 'exception', text: expect.stringContaining('It was not run again') });
  });

  test('whose output is long is shown without its middle, which read_result has', async () => {
    bench = toolBench({}, environment);
    const tool = { name: 'run_command', source, timeout: 720, readsOn: true as const };
    const call = { ...tool, workspace: { tree: null, mounts: [] } };
    const { blob = '', text } = await bench.call(call, { command: 'seq 100000; exit 7' }).result;
    expect(text).toMatch(/^1\n2\n/);
    const shown = await bench.store.blob(blob);
    expect(shown).toMatch(/characters were left out here; read on with read_result/);
    expect(shown).toMatch(/\n99999\n100000\n\[exit code 7\]$/);
  });

  test('has none of the worker’s variables', async () => {
    process.env['REPRISE_TEST_SECRET'] = 'secret';
    bench = toolBench({}, environment);
    const { text } = await run('env; cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n"');
    delete process.env['REPRISE_TEST_SECRET'];
    expect(text).toContain('LANG=C.UTF-8');
    expect(text).not.toContain('REPRISE_TEST_SECRET');
  });

  test('is refused by a worker that does not allow it', async () => {
    bench = toolBench();
    await expect(bench.list({ packages: ['builtin.command.local'] })).rejects.toThrow(/REPRISE_ALLOW_COMMANDS=local/);
    const never = join(bench.folder, 'never');
    expect(await run(`touch ${never}`)).toMatchObject({ status: 'exception' });
    expect(existsSync(never)).toBe(false);
  });
});
