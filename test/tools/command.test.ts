import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import type { CallToolResult } from '../../src/protocol/tool.ts';
import { Trees } from '../../src/sandbox/tree.ts';
import { toolBench, type ToolBench } from '../support/tool-bench.ts';

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
    const { text, tree } = await run('echo begun | tee file; sleep 1000', null, { timeout: 1 });
    expect(text).toBe('begun\n[ended, since it had run for 1 seconds]');
    expect(await filesOf(tree)).toEqual({ file: 'begun\n' });
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
    expect(await run('touch /tmp/reprise-never')).toMatchObject({ status: 'exception' });
    expect(existsSync('/tmp/reprise-never')).toBe(false);
  });
});
