import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Trees } from '../../../src/tools/workspaces/tree.ts';
import { StoredWorkspace, workspaceLimits } from '../../../src/tools/workspaces/workspace.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { stallOf } from '../../support/stall.ts';
import type { TreeFile } from '../../../src/tools/workspace.ts';

const folder = mkdtempSync(join(tmpdir(), 'reprise-workspace-'));
const store = openSqliteStore(join(folder, 'store.sqlite'));
const trees = new Trees(store);
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (tree: string | null = null, mounts: Array<{ path: string; tree: string }> = []) =>
  StoredWorkspace.open(store, trees, { tree, mounts }, 'w');

describe('a workspace has bounds', () => {
  test('on a file', async () => {
    const workspace = await open();
    const large = new Uint8Array(workspaceLimits.fileBytes + 1);
    await expect(workspace.write('large', large)).rejects.toThrow(/a file may have 50000000/);
    expect(await workspace.commit()).toBeUndefined();
  });

  test('on all files together', async () => {
    const file: TreeFile = { id: '0'.repeat(64), bytes: workspaceLimits.bytes, mode: 'file' };
    const workspace = await open(await trees.write(new Map([['all', file]])));
    await expect(workspace.write('more', 'x')).rejects.toThrow(/it may have 500000000/);
    workspace.remove('all');
    await workspace.write('more', 'x');
  });

  test('on how many there are, reached without a stall, and within them each one is kept', async () => {
    const workspace = await open();
    const names = Array.from({ length: workspaceLimits.files }, (_, index) => `${index % 100}/${index}`);
    const stall = await stallOf(async () => {
      for (const name of names) await workspace.write(name, name);
      await expect(workspace.write('one more', '')).rejects.toThrow(/may have 20000 files/);
      const again = await open((await workspace.commit()) ?? null);
      expect(again.files()).toHaveLength(names.length);
    });
    expect(stall).toBeLessThan(500);
  });

  test('on folders in folders, which cost more than files', async () => {
    const workspace = await open();
    const deep = (index: number): string => `${index}/${'d/'.repeat(48)}f`;
    const writing = async (): Promise<void> => {
      for (let index = 0; ; index++) await workspace.write(deep(index), '');
    };
    const stall = await stallOf(async () => {
      await expect(writing()).rejects.toThrow(/may have 20000 folders/);
      await open((await workspace.commit()) ?? null);
    });
    expect(stall).toBeLessThan(500);
  });
});

test('names that mean something to JavaScript are names like others', async () => {
  const workspace = await open();
  for (const name of ['__proto__', 'constructor', 'toString/valueOf']) await workspace.write(name, name);
  const again = await open((await workspace.commit()) ?? null);
  expect(again.files().map(({ path }) => path)).toEqual(['__proto__', 'constructor', 'toString/valueOf']);
  expect(new TextDecoder().decode(await again.read('__proto__'))).toBe('__proto__');
});

test('a file in place of a mounted folder is not seen, and comes back with it', async () => {
  const theirs = await open();
  await theirs.write('a.txt', 'theirs');
  const mounted = (await theirs.commit()) ?? '';
  const mine = await open();
  await mine.write('temp_workspaces/mine.txt', 'mine');
  const tree = (await mine.commit()) ?? null;
  const both = await open(tree, [{ path: 'temp_workspaces/agent1', tree: mounted }]);
  expect(both.files().map(({ path }) => path)).toEqual(['temp_workspaces/agent1/a.txt']);
  await expect(both.read('temp_workspaces/mine.txt')).rejects.toThrow(/there is no file/);
  await both.write('b.txt', '');
  const later = await open((await both.commit()) ?? null);
  expect(later.files().map(({ path }) => path)).toEqual(['b.txt', 'temp_workspaces/mine.txt']);
});
