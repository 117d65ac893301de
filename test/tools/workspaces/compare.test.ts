import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareTrees, mergeTrees } from '../../../src/tools/workspaces/compare.ts';
import type { Tree } from '../../../src/tools/workspace.ts';

const treeOf = (texts: Record<string, string>): Tree =>
  new Map(Object.entries(texts).map(([path, id]) => [path, { id, bytes: id.length, mode: 'file' as const }]));
const textsOf = (tree: Tree): Record<string, string> =>
  Object.fromEntries([...tree].map(([path, { id }]) => [path, id]));

const name = fc.constantFrom('a', 'b', 'c');
/** Trees in which no file stands where another one has its folder. */
const trees = fc
  .array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 3 }), fc.constantFrom('1', '2', '3')), { maxLength: 8 })
  .map((entries) => {
    const texts = Object.fromEntries(entries.map(([names, id]) => [names.join('/'), id]));
    const isFolder = (path: string): boolean => Object.keys(texts).some((each) => each.startsWith(`${path}/`));
    return treeOf(Object.fromEntries(Object.entries(texts).filter(([path]) => !isFolder(path))));
  });

describe('what two trees differ in', () => {
  test('is named by how it came about, with the figures of the later one', () => {
    expect(compareTrees(treeOf({ a: '1', b: '2', gone: '3' }), treeOf({ a: '1', b: '22', new: '4' }))).toEqual({
      files: 3,
      bytes: 4,
      count: 3,
      added: ['new'],
      changed: ['b'],
      removed: ['gone'],
    });
  });

  test('is nothing between equal ones, and a hundred paths of each kind at most', () => {
    fc.assert(fc.property(trees, (tree) => compareTrees(tree, tree).count === 0));
    const many = treeOf(Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`f${index}`, '1'])));
    const { added, count } = compareTrees(new Map(), many);
    expect({ count, named: added.length }).toEqual({ count: 150, named: 100 });
  });
});

describe('taking changes over', () => {
  test('from nobody else having changed anything gives the changed tree', async () => {
    await fc.assert(
      fc.asyncProperty(trees, trees, async (base, theirs) => {
        const { conflicts, tree } = await mergeTrees(base, base, theirs);
        expect(textsOf(tree)).toEqual(textsOf(theirs));
        expect(conflicts).toEqual([]);
      }),
    );
  });

  test('without changes leaves what there is', async () => {
    await fc.assert(
      fc.asyncProperty(trees, trees, async (base, ours) => {
        expect(await mergeTrees(base, ours, base)).toEqual({ tree: ours, conflicts: [] });
      }),
    );
  });

  test('always has what was changed last, and a path that is both a file and a folder never', async () => {
    await fc.assert(
      fc.asyncProperty(trees, trees, trees, async (base, ours, theirs) => {
        const { tree } = await mergeTrees(base, ours, theirs);
        for (const [path, file] of theirs) if (base.get(path)?.id !== file.id) expect(tree.get(path)).toEqual(file);
        for (const path of tree.keys()) {
          expect([...tree.keys()].filter((other) => other.startsWith(`${path}/`))).toEqual([]);
        }
      }),
    );
  });

  test('names what both had worked on, unless they came to the same', async () => {
    const base = treeOf({ both: '1', same: '1', mine: '1', yours: '1' });
    const ours = treeOf({ both: '2', same: '5', mine: '2', yours: '1' });
    const theirs = treeOf({ both: '3', same: '5', mine: '1' });
    const { conflicts, tree } = await mergeTrees(base, ours, theirs);
    expect(conflicts).toEqual(['both']);
    expect(textsOf(tree)).toEqual({ both: '3', same: '5', mine: '2' });
  });
});
