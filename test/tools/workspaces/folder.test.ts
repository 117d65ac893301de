import { chmodSync, existsSync, linkSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { changeFolder, collect, importFolder, makeFolder, materialise } from '../../../src/tools/workspaces/folder.ts';
import { tickMs } from '../../../src/tools/workspaces/stamps.ts';
import { Trees } from '../../../src/tools/workspaces/tree.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';

const home = mkdtempSync(join(tmpdir(), 'reprise-folders-test-'));
const store = openSqliteStore(join(home, 'store.sqlite'));
const trees = new Trees(store);
afterAll(async () => {
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

const emptyFolder = (): string => mkdtempSync(join(home, 'folder-'));

/** A folder with these files. */
function folderOf(files: Record<string, string>): string {
  const folder = emptyFolder();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const treeOf = async (files: Record<string, string>): Promise<string | null> =>
  (await importFolder(store, trees, folderOf(files))).tree;

async function textsOf(tree: string | null): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [path, { id }] of await trees.read(tree)) texts[path] = Buffer.from(await store.object(id)).toString();
  return texts;
}

describe('importing a folder', () => {
  test('stores its files with their permissions and the links that stay inside', async () => {
    const folder = folderOf({ 'a.txt': 'A', 'src/run.sh': '#!/bin/sh', 'src/lib/b': '' });
    chmodSync(join(folder, 'src/run.sh'), 0o755);
    symlinkSync('../a.txt', join(folder, 'src/link'));
    const { tree, leftOut, ...rest } = await importFolder(store, trees, folder);
    expect(rest).toEqual({ files: 4, bytes: 1 + 9 + 0 + 8 });
    expect(leftOut).toEqual([]);
    const modes = [...(await trees.read(tree))].map(([path, { mode }]) => `${path} ${mode}`);
    expect(modes.toSorted()).toEqual(['a.txt file', 'src/lib/b file', 'src/link link', 'src/run.sh executable']);
  });

  test('leaves out histories, packages, secrets and its own data', async () => {
    const folder = folderOf({
      '.git/config': 'x',
      'p/node_modules/q/i.js': 'x',
      '.env.local': 'KEY=1',
      '.reprise/s': 'x',
      a: '',
    });
    const { leftOut, tree } = await importFolder(store, trees, folder);
    expect(Object.keys(await textsOf(tree))).toEqual(['a']);
    expect(new Set(leftOut.map((each) => each.split(':')[0]))).toEqual(
      new Set(['".env.local"', '".git"', '".reprise"', '"p/node_modules"']),
    );
  });

  test('of more than the limits names the folder that has the most', async () => {
    const folder = folderOf({ 'data/1': '', 'data/2': '', 'data/3': '', 'src/1': '' });
    const limits = { files: 3, folders: 5, bytes: 1000, fileBytes: 100 };
    await expect(importFolder(store, trees, folder, limits)).rejects.toThrow(
      `the folder ${folder} cannot be taken into a workspace: it has 4 files of 0 bytes in 2 folders, and may have 3 files of 1000 bytes in 5; the most is in data/: 3 files`,
    );
  });

  test('of a folder that does not exist says so', async () => {
    await expect(importFolder(store, trees, join(home, 'none'))).rejects.toThrow(/cannot be taken .*ENOENT/);
  });
});

describe('a materialised folder', () => {
  test('comes back as the same tree, of which only what has changed is read', async () => {
    const tree = await treeOf({ a: 'A', 'b/c': 'C', 'b/d': 'D' });
    const made = await materialise(store, trees, tree, [], emptyFolder());
    const same = await collect(store, trees, made);
    expect(same).toMatchObject({ tree, read: 0, leftOut: [], isExact: true });
    writeFileSync(join(made.folder, 'b/c'), 'X');
    const changed = await collect(store, trees, same.made);
    expect(changed.read).toBe(1);
    expect(await textsOf(changed.tree)).toEqual({ a: 'A', 'b/c': 'X', 'b/d': 'D' });
  });

  test('is read again where a file has the size that it had, whatever its times say', async () => {
    const made = await materialise(store, trees, await treeOf({ a: 'one' }), [], emptyFolder());
    const { atime, mtime } = statSync(join(made.folder, 'a'));
    writeFileSync(join(made.folder, 'a'), 'two');
    const { utimesSync } = await import('node:fs');
    utimesSync(join(made.folder, 'a'), atime, mtime);
    expect(await textsOf((await collect(store, trees, made)).tree)).toEqual({ a: 'two' });
  });

  test('shows mounts, which are neither written nor read back', async () => {
    const [own, other] = [await treeOf({ a: 'A' }), await treeOf({ 'x/y': 'Y', '.git/config': 'x' })];
    const mounts = [{ path: 'temp/agent2', tree: other ?? '' }];
    const made = await materialise(store, trees, own, mounts, emptyFolder());
    expect(readFileSync(join(made.folder, 'temp/agent2/x/y'), 'utf8')).toBe('Y');
    expect(statSync(join(made.folder, 'temp/agent2/x/y')).mode & 0o777).toBe(0o444);
    expect(existsSync(join(made.folder, 'temp/agent2/.git'))).toBe(false);
    expect(await collect(store, trees, made)).toMatchObject({ tree: own, isExact: true });
  });

  test('is changed into another tree by what differs', async () => {
    const made = await materialise(store, trees, await treeOf({ a: 'A', b: 'B', 'c/d': 'D' }), [], emptyFolder());
    const wanted = await treeOf({ a: 'A', 'b/e': 'E', c: 'C' });
    const changed = await changeFolder(store, made, await trees.read(wanted));
    expect(await collect(store, trees, changed)).toMatchObject({ tree: wanted, read: 0, isExact: true });
  });

  test.each([
    ['an empty folder', (folder: string) => mkdirSync(join(folder, 'empty'))],
    ['other permissions', (folder: string) => chmodSync(join(folder, 'a'), 0o600)],
    ['a second name of a file', (folder: string) => linkSync(join(folder, 'a'), join(folder, 'b'))],
    ['a mount that was changed', (folder: string) => chmodSync(join(folder, 'm/x'), 0o777)],
    ['a file beside a mount', (folder: string) => writeFileSync(join(folder, 'm/y'), '')],
    ['a link that leads out', (folder: string) => symlinkSync('/etc/passwd', join(folder, 'out'))],
  ])('with %s is not what the tree says, and serves no other call', async (_, change) => {
    const mounted = await trees.read(await treeOf({ 'm/x': 'X' }));
    const made = await makeFolder(store, await trees.read(await treeOf({ a: 'A' })), mounted, emptyFolder());
    await pause(tickMs);
    change(made.folder);
    expect((await collect(store, trees, made)).isExact).toBe(false);
  });
});
