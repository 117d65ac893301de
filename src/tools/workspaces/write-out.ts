import { randomUUID } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { readlinkSync, renameSync, rmdirSync } from 'node:fs';
import { rm, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Yielder } from '../../util/yielder.ts';
import { largeHashOf } from '../../util/ids.ts';
import type { Store } from '../../store/store.ts';
import { listed } from '../../util/text/listed.ts';
import { checkout, removeEmpty } from './folder.ts';
import { withoutGit, type Trees } from './tree.ts';
import { foldersOf } from './workspace.ts';
import type { Tree, TreeFile } from '../workspace.ts';

/** A folder on the disk holds other files where some of a tree are to be written. Nothing was written. */
export class OutConflictError extends Error {
  override name = 'OutConflictError';
  readonly paths: string[];

  constructor(folder: string, paths: string[]) {
    super(`${folder} has other files of these names: ${listed(paths, 5)}`);
    this.paths = paths;
  }
}

/** What a run has written into a folder before: the object ids of files by their paths. */
type WrittenBefore = ReadonlyMap<string, string>;

interface WrittenOut {
  /** The paths that were written, sorted; those that were there already are left out. */
  written: string[];
  removed: string[];
  files: Map<string, string>;
  /** How many files were left out, since they are in a folder `.git`. */
  leftOut: number;
}

/**
 * Writes the files of a tree into a folder, which is made if it is missing. What a run has written there before is replaced,
 * or removed if the tree has it no more. Other files stay, and none is written over: where one has the name of a file of the
 * tree and another content, nothing is written at all. No link is followed below the folder, and none that leads out is
 * made. Each file is there whole or not at all, and a folder that was empty gets all of them at once. What is in a folder
 * `.git` is left out: git runs what its configuration says, and whoever looks at the files may use git.
 *
 * @throws `OutConflictError`; `Error` of the system, or if the store lacks a part of the tree
 */
export async function writeOut(
  store: Store,
  trees: Trees,
  id: string | null,
  target: string,
  before: WrittenBefore = new Map(),
): Promise<WrittenOut> {
  const folder = resolve(target);
  const whole = await trees.read(id);
  const wanted = withoutGit(whole);
  const files = new Map([...wanted].map(([path, { id }]) => [path, id]));
  const isNew = !existsSync(folder) || readdirSync(folder).length === 0;
  const { missing, removed } = isNew
    ? { missing: [...wanted.keys()], removed: [] }
    : await compared(folder, wanted, before);
  mkdirSync(dirname(folder), { recursive: true });
  const part = partOf(folder);
  try {
    mkdirSync(part);
    await checkout(store, part, wanted);
    if (isNew) {
      if (existsSync(folder)) rmdirSync(folder);
      renameSync(part, folder);
    } else {
      for (const path of removed) await unlink(join(folder, path));
      for (const path of missing) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        renameSync(join(part, path), join(folder, path));
      }
      for (const path of removed) removeEmpty(folder, path);
    }
  } finally {
    await rm(part, { recursive: true, force: true });
  }
  return { written: missing.toSorted(), removed, files, leftOut: whole.size - wanted.size };
}

/** Writes trees, each into a folder of its path, below a folder of the caller's own, of which all else goes. */
export async function replaceFolder(
  store: Store,
  trees: Trees,
  folder: string,
  parts: Array<{ path: string; tree: string | null }>,
): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const part = partOf(folder);
  try {
    for (const { path, tree } of parts) {
      const place = join(part, path);
      mkdirSync(place, { recursive: true });
      await checkout(store, place, withoutGit(await trees.read(tree)));
    }
    await rm(folder, { recursive: true, force: true });
    renameSync(part, folder);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}

/** A name for a file or a folder that says what it is for. @param text such as the id of a run */
export const fileName = (text: string): string =>
  text
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, 150);

const partOf = (folder: string): string => join(dirname(folder), `.${basename(folder)}.${randomUUID()}`);

async function compared(
  folder: string,
  wanted: Tree,
  before: WrittenBefore,
): Promise<Record<'missing' | 'removed', string[]>> {
  const missing: string[] = [];
  const conflicts: string[] = [];
  const yielder = new Yielder();
  for (const [path, file] of wanted) {
    const found = await fileAt(folder, path);
    if (found === 'nothing') missing.push(path);
    else if (found === 'other') conflicts.push(path);
    else if (found.id !== file.id || found.mode !== file.mode) {
      if (before.get(path) === found.id) missing.push(path);
      else conflicts.push(path);
    }
    if (yielder.due) await yielder.yield();
  }
  if (conflicts.length > 0) throw new OutConflictError(folder, conflicts.toSorted());
  const removed: string[] = [];
  for (const [path, id] of before) {
    if (wanted.has(path)) continue;
    const found = await fileAt(folder, path);
    if (typeof found === 'object' && found.id === id) removed.push(path);
  }
  return { missing, removed };
}

/** What a folder has at a path. `other`: a folder, or something below a link or a file. */
async function fileAt(folder: string, path: string): Promise<Pick<TreeFile, 'id' | 'mode'> | 'nothing' | 'other'> {
  for (const above of foldersOf(path)) {
    const stats = lstatSync(join(folder, above), { throwIfNoEntry: false });
    if (stats === undefined) return 'nothing';
    if (!stats.isDirectory()) return 'other';
  }
  const place = join(folder, path);
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats === undefined) return 'nothing';
  if (stats.isSymbolicLink())
    return { id: await largeHashOf(new TextEncoder().encode(readlinkSync(place))), mode: 'link' };
  if (!stats.isFile()) return 'other';
  return {
    id: await largeHashOf(readFileSync(place)),
    mode: (stats.mode & 0o100) === 0 ? 'file' : 'executable',
  };
}
