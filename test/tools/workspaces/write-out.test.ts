import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { Trees } from '../../../src/tools/workspaces/tree.ts';
import { OutConflictError, replaceFolder, writeOut } from '../../../src/tools/workspaces/write-out.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { FileMode } from '../../../src/tools/workspace.ts';

const folder = mkdtempSync(join(tmpdir(), 'reprise-out-'));
const store = openSqliteStore(join(folder, 'store.sqlite'));
const trees = new Trees(store);
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

let count = 0;
let out: string;
beforeEach(() => {
  out = join(folder, `out${++count}`);
});

/** Stores files: texts, or texts with a mode. */
async function treeOf(files: Record<string, string | [text: string, mode: FileMode]>): Promise<string | null> {
  const entries = Object.entries(files).map(([path, file]) => [path, ...[file].flat()] as [string, string, FileMode?]);
  const ids = await store.putObjects(entries.map(([, text]) => Buffer.from(text)));
  const stored = entries.map(
    ([path, text, mode = 'file'], index) => [path, { id: ids[index] ?? '', bytes: text.length, mode }] as const,
  );
  return trees.write(new Map(stored));
}

const textOf = (path: string): string => readFileSync(join(out, path), 'utf8');
const write = (tree: string | null, before?: Map<string, string>) => writeOut(store, trees, tree, out, before);

describe('a folder that is missing or empty', () => {
  test.each([[false], [true]])('gets all files with their modes (empty: %s)', async (isThere) => {
    if (isThere) mkdirSync(out);
    const tree = await treeOf({ 'a/b.txt': 'B', run: ['#!', 'executable'], link: ['a/b.txt', 'link'] });
    expect((await write(tree)).written).toEqual(['a/b.txt', 'link', 'run']);
    expect(textOf('a/b.txt')).toBe('B');
    expect(lstatSync(join(out, 'run')).mode & 0o111).not.toBe(0);
    expect(readlinkSync(join(out, 'link'))).toBe('a/b.txt');
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('stays away where a file of the tree cannot be written', async () => {
    const tree = await treeOf({ 'a.txt': 'A', bad: ['../../etc/passwd', 'link'] });
    await expect(write(tree)).rejects.toThrow(/leads out/);
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('gets nothing of a folder .git, whose configuration git would run', async () => {
    const tree = await treeOf({ 'a.txt': 'A', '.git/config': '[core]', 'sub/.GIT/hooks/x': 'x', '.gitignore': 'x' });
    expect(await write(tree)).toMatchObject({ written: ['.gitignore', 'a.txt'], leftOut: 2 });
    expect(readdirSync(out).toSorted()).toEqual(['.gitignore', 'a.txt']);
  });

  test('gets nothing by which git takes a folder for a repository without a folder .git', async () => {
    const laidOut = { 'x/HEAD': 'ref: x', 'x/objects/a': '', 'x/refs/a': '', 'x/config': '[core]' };
    const linked = { 'y/head': 'ref: x', 'y/commondir': '../x' };
    const tree = await treeOf({ ...laidOut, ...linked, HEAD: 'news', 'bin/head': '#!/bin/sh' });
    const { written } = await write(tree);
    expect(written).toEqual(['HEAD', 'bin/head', 'x/config', 'x/objects/a', 'x/refs/a', 'y/commondir']);
  });

  test('is made for a tree without files', async () => {
    expect((await write(null)).written).toEqual([]);
    expect(readdirSync(out)).toEqual([]);
  });
});

describe('a folder with files', () => {
  test('keeps those that have other names, and is left as it was if one has the name of a file of the tree', async () => {
    mkdirSync(out);
    writeFileSync(join(out, 'mine'), 'mine');
    await write(await treeOf({ 'a.txt': 'A' }));
    expect([textOf('mine'), textOf('a.txt')]).toEqual(['mine', 'A']);
    const refused = write(await treeOf({ 'a.txt': 'other', 'b.txt': 'B' }));
    await expect(refused).rejects.toThrow(OutConflictError);
    expect(textOf('a.txt')).toBe('A');
    expect(existsSync(join(out, 'b.txt'))).toBe(false);
  });

  test('has what this run has written there replaced and removed, with the folders that are empty then', async () => {
    const { files } = await write(await treeOf({ 'a.txt': 'A', 'old/b.txt': 'B', 'kept/c.txt': 'C' }));
    writeFileSync(join(out, 'kept', 'c.txt'), 'changed since');
    const second = await write(await treeOf({ 'a.txt': 'A2' }), files);
    expect(second).toMatchObject({ written: ['a.txt'], removed: ['old/b.txt'] });
    expect(textOf('a.txt')).toBe('A2');
    expect(existsSync(join(out, 'old'))).toBe(false);
    expect(textOf('kept/c.txt')).toBe('changed since');
  });

  test('has nothing written through a link in it', async () => {
    const outside = join(folder, `outside${count}`);
    mkdirSync(outside);
    mkdirSync(out);
    symlinkSync(outside, join(out, 'a'));
    await expect(write(await treeOf({ 'a/b.txt': 'B' }))).rejects.toThrow(OutConflictError);
    symlinkSync(join(outside, 'target'), join(out, 'c.txt'));
    await expect(write(await treeOf({ 'c.txt': 'C' }))).rejects.toThrow(OutConflictError);
    expect(readdirSync(outside)).toEqual([]);
  });

  test.each([
    ['a folder where a file is to be', 'x/inner', { x: 'X' }],
    ['a file where a folder is to be', 'x', { 'x/y': 'Y' }],
  ])('counts as a conflict: %s', async (_, there, files) => {
    mkdirSync(join(out, there, '..'), { recursive: true });
    writeFileSync(join(out, there), 'mine');
    await expect(write(await treeOf(files))).rejects.toThrow(OutConflictError);
    expect(textOf(there)).toBe('mine');
  });
});

test('several trees replace what a folder of the caller’s own has held', async () => {
  mkdirSync(out);
  writeFileSync(join(out, 'stale'), 'stale');
  const parts = [
    { path: 'attempt1/a', tree: await treeOf({ 'a.txt': 'A' }) },
    { path: 'attempt1/b', tree: null },
  ];
  await replaceFolder(store, trees, out, parts);
  expect(readdirSync(out, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual([
    'attempt1',
    'attempt1/a',
    'attempt1/a/a.txt',
    'attempt1/b',
  ]);
});
