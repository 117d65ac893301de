import { chmodSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { checkout, importFolder, snapshot } from '../../../src/tools/workspaces/folder.ts';
import { tickMs } from '../../../src/tools/workspaces/read-folder.ts';
import { Trees } from '../../../src/tools/workspaces/tree.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Tree } from '../../../src/tools/workspace.ts';

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

const treeOf = async (files: Record<string, string>): Promise<Tree> =>
  trees.read((await importFolder(store, trees, folderOf(files))).tree);

async function textsOf(tree: Tree): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [path, { id }] of tree) texts[path] = Buffer.from(await store.object(id)).toString();
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
    expect([...(await trees.read(tree)).keys()]).toEqual(['a']);
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

describe('a checkout', () => {
  /** The files as a tree has them. */
  const bare = (files: Tree): Tree =>
    new Map([...files].map(([path, { bytes, id, mode }]) => [path, { id, bytes, mode }]));

  test('comes back as the same tree, of which only what has changed is read', async () => {
    const tree = await treeOf({ a: 'A', 'b/c': 'C', 'b/d': 'D' });
    const same = await snapshot(store, await checkout(store, emptyFolder(), tree));
    expect(same).toMatchObject({ read: 0, leftOut: [], isExact: true });
    expect(bare(same.checkout.own)).toEqual(tree);
    writeFileSync(join(same.checkout.folder, 'b/c'), 'X');
    const changed = await snapshot(store, same.checkout);
    expect(changed.read).toBe(1);
    expect(await textsOf(changed.checkout.own)).toEqual({ a: 'A', 'b/c': 'X', 'b/d': 'D' });
  });

  test('is read again where a file has the size that it had, whatever its times say', async () => {
    const made = await checkout(store, emptyFolder(), await treeOf({ a: 'one' }));
    const { atime, mtime } = statSync(join(made.folder, 'a'));
    writeFileSync(join(made.folder, 'a'), 'two');
    utimesSync(join(made.folder, 'a'), atime, mtime);
    expect(await textsOf((await snapshot(store, made)).checkout.own)).toEqual({ a: 'two' });
  });

  test('is read again where a file was changed just before it was read', async () => {
    const made = await checkout(store, emptyFolder(), await treeOf({ a: 'one' }));
    writeFileSync(join(made.folder, 'a'), 'two');
    // On a busy machine it would be read long after it was changed.
    const clock = vi.spyOn(Date, 'now').mockReturnValue(statSync(join(made.folder, 'a')).ctimeMs);
    const first = await snapshot(store, made);
    expect((await snapshot(store, first.checkout)).read).toBe(1);
    clock.mockRestore();
    await pause(tickMs * 2);
    const settled = await snapshot(store, first.checkout);
    expect((await snapshot(store, settled.checkout)).read).toBe(0);
  });

  test('shows mounts, which are neither written nor read back', async () => {
    const own = await treeOf({ a: 'A', 'temp/hidden': '' });
    const shown = await treeOf({ 'temp/agent2/x/y': 'Y' });
    const gits = ['.git/config', '.GIT/config', 'bare/HEAD', 'bare/objects/x'];
    const mounted = new Map([
      ...shown,
      ...[...shown.values()].flatMap((file) => gits.map((path) => [`temp/agent2/${path}`, file] as const)),
    ]);
    const made = await checkout(store, emptyFolder(), own, mounted);
    expect(readFileSync(join(made.folder, 'temp/agent2/x/y'), 'utf8')).toBe('Y');
    expect(statSync(join(made.folder, 'temp/agent2/x/y')).mode & 0o777).toBe(0o444);
    expect(statSync(join(made.folder, 'temp/agent2')).mode & 0o777).toBe(0o555);
    expect(readdirSync(join(made.folder, 'temp/agent2')).toSorted()).toEqual(['bare', 'x']);
    expect(readdirSync(join(made.folder, 'temp/agent2/bare'))).toEqual(['objects']);
    const after = await snapshot(store, made);
    expect(after.isExact).toBe(true);
    expect([...after.checkout.own.keys()]).toEqual(['a']);
  });

  test('is changed into another tree by what differs', async () => {
    const made = await checkout(store, emptyFolder(), await treeOf({ a: 'A', b: 'B', 'c/d': 'D' }));
    const { mtimeMs } = statSync(join(made.folder, 'a'));
    const wanted = await treeOf({ a: 'A', 'b/e': 'E', c: 'C' });
    const changed = await checkout(store, made.folder, wanted, new Map(), { before: made.own });
    const after = await snapshot(store, changed);
    expect(after).toMatchObject({ read: 0, isExact: true });
    expect(bare(after.checkout.own)).toEqual(wanted);
    expect(statSync(join(made.folder, 'a')).mtimeMs).toBe(mtimeMs);
  });

  test.each([
    ['an empty folder', (folder: string) => mkdirSync(join(folder, 'empty'))],
    ['other permissions', (folder: string) => chmodSync(join(folder, 'a'), 0o600)],
    ['a second name of a file', (folder: string) => linkSync(join(folder, 'a'), join(folder, 'b'))],
    ['a link that leads out', (folder: string) => symlinkSync('/etc/passwd', join(folder, 'out'))],
  ])('with %s is not what the tree says, and serves no other call', async (_, change) => {
    const made = await checkout(store, emptyFolder(), await treeOf({ a: 'A' }));
    change(made.folder);
    expect((await snapshot(store, made)).isExact).toBe(false);
  });
});
