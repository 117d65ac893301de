import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Folder } from '../../src/sandbox/folder.ts';
import type { Tree, TreeFile } from '../../src/sandbox/tree.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';

const root = mkdtempSync(join(tmpdir(), 'reprise-folder-'));
const store = openSqliteStore(join(root, 'store.sqlite'));
afterAll(async () => {
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

let count = 0;
const newPath = (): string => join(root, `folder-${++count}`);

async function treeOf(files: Record<string, string | [string, TreeFile['mode']]>): Promise<Map<string, TreeFile>> {
  const entries = Object.entries(files).map(async ([path, file]) => {
    const [text, mode] = typeof file === 'string' ? [file, 'file' as const] : file;
    const [id = ''] = await store.putObjects([Buffer.from(text)]);
    return [path, { id, bytes: Buffer.byteLength(text), mode }] as const;
  });
  return new Map(await Promise.all(entries));
}

const make = async (tree: Tree, mounted?: Tree): Promise<Folder> => Folder.make(store, newPath(), tree, mounted);

describe('a tree as a folder', () => {
  test('comes back as it was: contents, modes, links', async () => {
    const tree = await treeOf({
      'a.txt': 'one',
      'bin/run.sh': ['#!/bin/sh\n', 'executable'],
      'bin/deep/to-a': ['../../a.txt', 'link'],
      empty: '',
    });
    const folder = await make(tree);
    expect(readFileSync(join(folder.path, 'bin/deep/to-a'), 'utf8')).toBe('one');
    expect(lstatSync(join(folder.path, 'bin/run.sh')).mode & 0o100).toBeTruthy();
    const { files, skipped } = await folder.collect();
    expect(files).toEqual(new Map([...tree].toSorted(([one], [other]) => (one < other ? -1 : 1))));
    expect(skipped).toEqual([]);
  });

  test('comes back with what a program has changed, added and removed', async () => {
    const folder = await make(await treeOf({ 'a.txt': 'one', 'b.txt': 'two', 'sub/c.txt': 'three' }));
    const at = (path: string): string => join(folder.path, path);
    writeFileSync(at('a.txt'), 'ONE');
    rmSync(at('sub'), { recursive: true });
    mkdirSync(at('new'));
    writeFileSync(at('new/d.txt'), 'four');
    chmodSync(at('b.txt'), 0o755);
    const { files } = await folder.collect();
    const wanted = await treeOf({ 'a.txt': 'ONE', 'b.txt': ['two', 'executable'], 'new/d.txt': 'four' });
    expect(files).toEqual(wanted);
    expect(await store.missingObjects([...files.values()].map(({ id }) => id))).toEqual([]);
  });

  test('comes back changed even where a program has kept size and time of a file', async () => {
    const folder = await make(await treeOf({ 'a.txt': 'one' }));
    const place = join(folder.path, 'a.txt');
    const { atime, mtime } = lstatSync(place);
    writeFileSync(place, 'two');
    utimesSync(place, atime, mtime);
    expect((await folder.collect()).files).toEqual(await treeOf({ 'a.txt': 'two' }));
  });

  test('has what is mounted besides, read-only, which is no part of what comes back', async () => {
    const folder = await make(
      await treeOf({ 'own.txt': 'mine', 'others/x.txt': 'hidden' }),
      await treeOf({ 'others/agent2/x.txt': 'theirs', 'others/agent2/out': ['../../../..', 'link'] }),
    );
    const place = join(folder.path, 'others/agent2/x.txt');
    expect(readFileSync(place, 'utf8')).toBe('theirs');
    expect(lstatSync(place).mode & 0o222).toBe(0);
    expect(() => lstatSync(join(folder.path, 'others/agent2/out'))).toThrow('ENOENT');
    writeFileSync(join(folder.path, 'others/new.txt'), 'lost');
    expect([...(await folder.collect()).files.keys()]).toEqual(['own.txt']);
  });
});

describe('what leads out of a folder is left out, and named', () => {
  test.each([
    ['/etc/passwd'],
    ['..'],
    ['../..'],
    ['../../folder.txt'],
    ['.'],
    // `deep/way/back` leads to `sub`: behind it, `..` leads further out than it looks.
    ['deep/way/back/../../outside.txt'],
    ['./../../x'],
    ['a\u0007b'],
  ])('a link to %j', async (target) => {
    const folder = await make(await treeOf({ 'sub/x.txt': 'x', 'deep/way/back': ['../../sub', 'link'] }));
    symlinkSync(target, join(folder.path, 'evil'));
    const { files, skipped } = await folder.collect();
    expect(files.has('evil')).toBe(false);
    expect(skipped).toEqual(['evil: a link that leads out of the folder']);
  });

  test('such a link in a tree is not made', async () => {
    const folder = await make(await treeOf({ evil: ['../../../etc', 'link'], 'sub/evil': ['../../x', 'link'] }));
    expect(() => readlinkSync(join(folder.path, 'evil'))).toThrow('ENOENT');
    expect(() => readlinkSync(join(folder.path, 'sub/evil'))).toThrow('ENOENT');
  });

  test('a folder that has become a link is not entered', async () => {
    const folder = await make(await treeOf({ 'sub/x.txt': 'x' }));
    rmSync(join(folder.path, 'sub'), { recursive: true });
    symlinkSync('/etc', join(folder.path, 'sub'));
    const { files, skipped } = await folder.collect();
    expect(files.size).toBe(0);
    expect(skipped).toEqual(['sub: a link that leads out of the folder']);
  });

  test('hard links, sockets and pipes', async () => {
    const secret = join(root, 'secret.txt');
    writeFileSync(secret, 'secret');
    const folder = await make(await treeOf({ 'a.txt': 'one' }));
    linkSync(secret, join(folder.path, 'hard'));
    execFileSync('mkfifo', [join(folder.path, 'pipe')]);
    const server = createServer().listen(join(folder.path, 'socket'));
    const { files, skipped } = await folder.collect();
    server.close();
    expect([...files.keys()]).toEqual(['a.txt']);
    expect(skipped).toEqual([
      'hard: a file with several names (hard links)',
      'pipe: neither a file nor a link',
      'socket: neither a file nor a link',
    ]);
  });

  test('names that no tree can hold, and files that are too large', async () => {
    const folder = await make(await treeOf({ 'a.txt': 'one' }));
    writeFileSync(join(folder.path, 'two\nlines'), 'x');
    writeFileSync(join(folder.path, 'back\\slash'), 'x');
    execFileSync('truncate', ['-s', '50000001', join(folder.path, 'large')]);
    const { files, skipped } = await folder.collect();
    expect([...files.keys()]).toEqual(['a.txt']);
    expect(skipped).toEqual([
      '"back\\\\slash": no tree can hold this name',
      '"two\\nlines": no tree can hold this name',
      'large: 50000001 bytes; a file may have 50000000',
    ]);
  });

  test('more bytes than a workspace may have are refused as a whole', async () => {
    const folder = await make(new Map());
    for (let index = 0; index < 11; index++) {
      execFileSync('truncate', ['-s', '49000000', join(folder.path, `f${index}`)]);
    }
    await expect(folder.collect()).rejects.toThrow('the files have more than 500000000 bytes');
  });
});
