import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canKeepTogether } from '../../src/tools/commands/local.ts';
import { Trees } from '../../src/tools/workspaces/tree.ts';
import { stallOf } from './stall.ts';
import { toolBench, type ToolBench } from './tool-bench.ts';

/**
 * A command that means harm. `OUT` in it is a folder outside with the file `secret`, `SLEEP` a program that goes on.
 *
 * @param seconds that the command is given; 20 when absent
 */
export type Attack = [what: string, command: string, seconds?: number];

/** Tries attacks by the real tool, one after the other: nothing outside changes, no process and no file stays behind. */
export function attacked(attacks: Attack[]): void {
  /** What stands outside, and must neither be changed nor come into a tree. */
  const outside = mkdtempSync(join(tmpdir(), 'reprise-outside-'));
  const secret = join(outside, 'secret');
  const text = 'SECRET-7f3a';

  let bench: ToolBench;
  beforeAll(async () => {
    writeFileSync(secret, text);
    bench = toolBench({}, { REPRISE_ALLOW_COMMANDS: 'local' });
    if (!(await canKeepTogether()))
      console.warn('SKIPPED: this system has no namespaces for users; what only they keep back is not tried');
  });
  afterAll(async () => {
    await bench.close();
    rmSync(outside, { recursive: true, force: true });
  });

  const source = { package: 'builtin.command.local' };

  /** How long a program of an attack sleeps, by which one that is left is found. */
  const mark = String(100_000 + (process.pid % 90_000));

  function run(command: string, seconds = 20) {
    const tool = { name: 'run_command', source, timeout: 720, workspace: { tree: null, mounts: [] } };
    return bench.call(tool, { command, timeout: seconds }).result;
  }

  const left = (): string[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => {
        try {
          return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`sleep\0${mark}`);
        } catch {
          return false;
        }
      });

  const ready = (command: string): string => command.replaceAll('OUT', outside).replaceAll('SLEEP', `sleep ${mark}`);

  describe('a command may leave what it likes', () => {
    test.each(attacks)('%s', async (_, command, seconds) => {
      const before = statSync(secret);
      let ended: Awaited<ReturnType<typeof run>> | undefined;
      const stall = await stallOf(async () => {
        ended = await run(ready(command), seconds);
      });
      expect(stall).toBeLessThan(500);
      expect(ended?.status).toMatch(/^(ok|error|exception)$/);
      expect(readFileSync(secret, 'utf8')).toBe(text);
      expect(statSync(secret)).toMatchObject({ mode: before.mode, mtimeMs: before.mtimeMs, nlink: 1 });
      const files = await new Trees(bench.store).read(ended?.tree ?? null);
      const contents = [...files.values()].map(async ({ id }) => Buffer.from(await bench.store.object(id)).toString());
      for (const content of await Promise.all(contents)) expect(content).not.toContain(text);
      expect(readdirSync(outside)).toEqual(['secret']);
      if (process.platform === 'linux') expect(left()).toEqual([]);
      // The next one finds nothing of it.
      expect(await run('ls -A; echo still')).toMatchObject({ status: 'ok', text: 'still\n[exit code 0]' });
    });
  });

  test('nothing is left of them on the disk', async () => {
    const mine = () =>
      readdirSync(tmpdir()).filter((name) => name.includes(`-${process.pid}-`) && name.startsWith('reprise-commands-'));
    await bench.toolbox.close();
    expect(mine()).toEqual([]);
  });
}
