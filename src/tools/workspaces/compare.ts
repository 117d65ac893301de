import { Yielder } from '../../util/yielder.ts';
import type { TreeSummary } from '../../protocol/workspace.ts';
import { isSameFile } from './tree.ts';
import { foldersOf } from './workspace.ts';
import type { Tree } from '../workspace.ts';

/** A tree in figures, and in what it differs from an earlier one. */
export function compareTrees(from: Tree, to: Tree): TreeSummary {
  const added: string[] = [];
  const changed: string[] = [];
  let bytes = 0;
  for (const [path, file] of to) {
    bytes += file.bytes;
    const before = from.get(path);
    if (before === undefined) added.push(path);
    else if (!isSameFile(before, file)) changed.push(path);
  }
  const removed = [...from.keys()].filter((path) => !to.has(path));
  const first = (paths: string[]): string[] => paths.toSorted().slice(0, 100);
  return {
    files: to.size,
    bytes,
    count: added.length + changed.length + removed.length,
    added: first(added),
    changed: first(changed),
    removed: first(removed),
  };
}

/** Takes what has changed from `base` to `theirs` over into `ours`; it wins on the paths where both had worked. */
export async function mergeTrees(base: Tree, ours: Tree, theirs: Tree): Promise<{ tree: Tree; conflicts: string[] }> {
  const yielder = new Yielder();
  const merged = new Map(ours);
  const conflicts = new Set<string>();
  const differing = [...new Set([...base.keys(), ...theirs.keys()])].filter(
    (path) => !isSameFile(base.get(path), theirs.get(path)),
  );
  const isTheirs = (path: string): boolean => {
    const [before, now] = [base.get(path), ours.get(path)];
    return !isSameFile(before, now) && !isSameFile(now, theirs.get(path));
  };
  for (const path of differing) {
    if (isTheirs(path)) conflicts.add(path);
    const file = theirs.get(path);
    if (file === undefined) merged.delete(path);
    else merged.set(path, file);
  }
  // A path is a file or a folder, and what was changed last says which.
  const taken = new Set(differing.filter((path) => theirs.has(path)));
  for (const path of merged.keys()) {
    if (yielder.due) await yielder.yield();
    const files = foldersOf(path).filter((folder) => merged.has(folder));
    if (files.length === 0) continue;
    const gone = taken.has(path) ? files : [path];
    for (const each of gone) {
      merged.delete(each);
      conflicts.add(each);
    }
  }
  return { tree: merged, conflicts: [...conflicts].toSorted() };
}
