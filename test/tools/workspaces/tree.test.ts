import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { treePath, Trees } from '../../../src/tools/workspaces/tree.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Tree } from '../../../src/tools/workspace.ts';

const folder = mkdtempSync(join(tmpdir(), 'reprise-trees-'));
const store = openSqliteStore(join(folder, 'store.sqlite'));
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const name = fc.constantFrom('a', 'b', 'src', 'é', 'a b', 'x.ts', '#', '-', '__proto__');
const file = fc.record({
  id: fc.constantFrom('1', '2', '3'),
  bytes: fc.nat(),
  mode: fc.constantFrom('file', 'executable', 'link' as const),
});

/** Trees in which no file stands where another one has its folder. */
const trees = fc
  .array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 4 }), file), { maxLength: 20 })
  .map((entries) => {
    const tree = new Map(entries.map(([names, each]) => [names.join('/'), each] as const));
    const isFolder = (path: string): boolean => [...tree.keys()].some((each) => each.startsWith(`${path}/`));
    return new Map([...tree].filter(([path]) => !isFolder(path)));
  });

describe('a tree', () => {
  test('comes back with all its files, also for a worker that has never seen it', async () => {
    await fc.assert(
      fc.asyncProperty(trees, async (tree) => {
        const id = await new Trees(store).write(tree);
        expect(await new Trees(store).read(id)).toEqual(tree);
      }),
      { numRuns: 60 },
    );
  });

  test('has an id that depends on its files alone, and not on the order in which they came', async () => {
    await fc.assert(
      fc.asyncProperty(trees, trees, async (one, other) => {
        const ids = new Trees(store);
        const reversed = new Map([...one].toReversed());
        expect(await ids.write(reversed)).toBe(await ids.write(one));
        const isSame = (await ids.write(other)) === (await ids.write(one));
        const sorted = (tree: Tree): unknown => [...tree].toSorted(([a], [b]) => (a < b ? -1 : 1));
        expect(isSame).toBe(JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)));
      }),
      { numRuns: 60 },
    );
  });

  test('without files is none', async () => {
    expect(await new Trees(store).write(new Map())).toBeNull();
    expect(await new Trees(store).read(null)).toEqual(new Map());
  });

  test('that the store lacks a part of is refused', async () => {
    await expect(new Trees(store).read('0'.repeat(64))).rejects.toThrow('The store has no object 0000');
  });
});

describe('a path', () => {
  test.each([
    ['a/b.txt', 'a/b.txt'],
    ['./a//b.txt', 'a/b.txt'],
    ['a/./b/', 'a/b'],
    ['..a/b..', '..a/b..'],
    ['ключ/é.txt', 'ключ/é.txt'],
  ])('%j of a tree is %j', (path, normal) => {
    expect(treePath(path)).toBe(normal);
  });

  test.each([
    '..',
    '../a',
    'a/../b',
    'a/..',
    'a/b/../../..',
    '/etc/passwd',
    '//server/share',
    'a\\..\\b',
    'C:\\a',
    'a\0b',
    'a\nb',
    'a\rb',
    'a\u001B[2Jb',
    'a\u0085b',
    'a\uD800b',
    '',
    '.',
    './',
    'a'.repeat(201),
    `${'a/'.repeat(51)}b`,
    'é'.repeat(101),
    'ab/'.repeat(400),
  ])('%j leads out, or is none that a tree may hold', (path) => {
    expect(treePath(path)).toBeUndefined();
  });

  test('that a tree has leads nowhere else by itself, whatever it is made of', () => {
    const part = fc.constantFrom('.', '..', 'a', '', '/', '\\', '...', '~', '%2e%2e', '\0');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const path = treePath(parts.join('/'));
        if (path === undefined) return;
        expect(treePath(path)).toBe(path);
        expect(join('/inside', path).startsWith('/inside/')).toBe(true);
      }),
    );
  });
});
