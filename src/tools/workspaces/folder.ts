import { chmodSync, chownSync, closeSync, constants, fchmodSync, fchownSync, fstatSync, lchownSync } from 'node:fs';
import { lstatSync, mkdirSync, openSync, rmdirSync, symlinkSync, unlinkSync, writeSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Breaks } from '../../util/breaks.ts';
import type { Mount } from '../../protocol/workspace.ts';
import type { Store } from '../../store/store.ts';
import type { FolderLimits } from './folder-reading.ts';
import { identityOf } from './open-folder.ts';
import { readFolder, type KnownFile } from './read-folder.ts';
import { isSettled, stampOf, tickMs } from './stamps.ts';
import { linkTarget, treePath, type Trees } from './tree.ts';
import { workspaceLimits } from './workspace.ts';
import type { Tree, TreeFile } from '../workspace.ts';

/** A tick, and the millisecond of which a file's time may be the end and the clock's the beginning. */
const settlingMs = tickMs + 1;

/** What an import leaves out: histories of versions, packages that are installed again, Reprise's own data, secrets. */
const notImported = ['.git', 'node_modules', '.reprise', '.env*'];

export interface ImportedFolder {
  /** The id of the tree; null for a folder without files. */
  tree: string | null;
  files: number;
  bytes: number;
  /** What was left out, each with the reason. */
  leftOut: string[];
}

/**
 * Stores a folder of the machine as a tree. The folder is only read. Left out are `.git`, `node_modules`, `.reprise` and
 * `.env*`, links that lead out, what is no file, what cannot be read, and names that no tree has.
 *
 * @throws `Error` if it cannot be read, or holds more than the limits; the message names the largest folder in it
 */
export async function importFolder(
  store: Store,
  trees: Trees,
  folder: string,
  limits: FolderLimits = workspaceLimits,
  signal?: AbortSignal,
): Promise<ImportedFolder> {
  try {
    // That the folder itself is a link is the user's choice.
    const place = await realpath(folder);
    const { files, leftOut } = await readFolder(store, place, { leftOut: notImported, limits, signal });
    const bytes = [...files.values()].reduce((sum, file) => sum + file.bytes, 0);
    return { tree: await trees.write(files), files: files.size, bytes, leftOut };
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`the folder ${folder} cannot be taken into a workspace: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** A folder of the machine that was made from a tree, and what is known of its files. */
export interface MadeFolder {
  folder: string;
  /** What tells it from a folder that was put in its place. */
  identity: string;
  owner?: Owner | undefined;
  own: ReadonlyMap<string, KnownFile>;
  /** The id of the tree of these, where it is known. */
  tree?: string | null | undefined;
  /** What stands there to be read only. */
  mounted: Tree;
  /** The stamps of what stands there to be read only, folders included. */
  marks: ReadonlyMap<string, string>;
}

/**
 * Writes a tree into a folder that exists and is empty, and mounts to be read only, of which `.git` is left out: a command
 * of git in it would run what its owner has put into its configuration.
 *
 * @throws `Error` of the system, such as a disk that is full
 */
export async function materialise(
  store: Store,
  trees: Trees,
  tree: string | null,
  mounts: readonly Mount[],
  folder: string,
): Promise<MadeFolder> {
  const mounted = new Map<string, TreeFile>();
  for (const mount of mounts) {
    for (const [name, file] of await trees.read(mount.tree)) mounted.set(`${mount.path}/${name}`, file);
  }
  return makeFolder(store, await trees.read(tree), mounted, folder);
}

/** Whose the files of a folder are to be, by the system's numbers. */
export interface Owner {
  uid: number;
  gid: number;
}

/**
 * The same for files that are known by their paths. Files of the tree in a folder of the mounts are not written.
 *
 * @param owner absent: the process's own user
 */
export async function makeFolder(
  store: Store,
  own: Tree,
  mounted: Tree,
  folder: string,
  owner?: Owner,
): Promise<MadeFolder> {
  chmodSync(folder, 0o755);
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const shown = new Map([...mounted].filter(([path]) => !path.split('/').includes('.git')));
  const files = await writeAll(store, outside(own, foldersOf(mounted)), folder, { owner });
  const readOnly = await writeAll(store, shown, folder, { readOnly: true });
  const marks = new Map([...readOnly].map(([path, { stamp }]) => [path, stamp]));
  for (const each of new Set([...shown.keys()].flatMap(foldersAbove))) {
    const place = join(folder, each);
    chmodSync(place, 0o555);
    marks.set(each, stampOf(lstatSync(place, { bigint: true })));
  }
  await pause(settlingMs);
  return { folder, identity: identityAt(folder), owner, own: files, mounted, marks };
}

/** The folders of the first level in which mounts stand. */
export const foldersOf = (mounted: Tree): string[] => [
  ...new Set([...mounted.keys()].map((path) => path.split('/')[0] ?? '')),
];

/** The files that do not stand in some folders of the first level. */
export const outside = (tree: Tree, folders: string[]): Map<string, TreeFile> =>
  new Map([...tree].filter(([path]) => !folders.includes(path.split('/')[0] ?? '')));

/** Makes the own files of a folder those of another tree, by writing only what differs. @returns what it holds then */
export async function changeFolder(store: Store, made: MadeFolder, own: Tree): Promise<MadeFolder> {
  const { folder, mounted, owner } = made;
  const wanted = outside(own, foldersOf(mounted));
  const isSame = (path: string, file: TreeFile | undefined): boolean => {
    const other = made.own.get(path);
    return other?.id === file?.id && other?.mode === file?.mode;
  };
  const gone = [...made.own.keys()].filter((path) => !isSame(path, wanted.get(path)));
  const added = [...wanted].filter(([path, file]) => !isSame(path, file));
  if (gone.length + added.length === 0) return made;
  if (identityAt(folder) !== made.identity) throw new Error(`another folder is in the place of ${folder}`);
  const breaks = new Breaks();
  for (const path of gone) {
    unlinkSync(join(folder, path));
    removeEmpty(folder, dirname(path));
    if (breaks.due) await breaks.take();
  }
  const files = new Map(made.own);
  for (const path of gone) files.delete(path);
  for (const [path, file] of await writeAll(store, new Map(added), folder, { owner })) files.set(path, file);
  await pause(settlingMs);
  return { ...made, own: files, tree: undefined };
}

export interface CollectedFolder {
  /** The id of the tree; null for one without files. */
  tree: string | null;
  /** The folder with its own files as they are now. */
  made: MadeFolder;
  /** How many files were read, since they are new or have changed. */
  read: number;
  /** What was left out, each with the reason. */
  leftOut: string[];
  /** Whether the folder is as if it had been made from the tree, so that it may serve the next call. */
  isExact: boolean;
}

/**
 * Reads a folder back into a tree, of which it stores what has changed. Mounts are not read. What cannot be part of a tree
 * is left out, as by `importFolder`, but nothing by its name.
 *
 * @throws `Error` if it holds more than the limits
 */
export async function collect(
  store: Store,
  trees: Trees,
  made: MadeFolder,
  { limits = workspaceLimits, signal }: { limits?: FolderLimits; signal?: AbortSignal } = {},
): Promise<CollectedFolder> {
  const { folder, identity, marks, mounted, own: known } = made;
  const skipped = foldersOf(mounted);
  const { changed, files, isOdd, leftOut, read } = await readFolder(store, folder, {
    identity,
    known,
    skipped,
    limits,
    signal,
  });
  const tree = made.tree === undefined ? await trees.write(files) : await trees.change(made.tree, changed);
  return {
    tree,
    made: { ...made, own: files, tree },
    read,
    leftOut,
    isExact: leftOut.length === 0 && !isOdd && (await isUnchanged(folder, marks)),
  };
}

/** Whether what a folder holds to be read only is as it was written. */
async function isUnchanged(folder: string, marks: ReadonlyMap<string, string>): Promise<boolean> {
  const breaks = new Breaks();
  for (const [path, stamp] of marks) {
    const stats = lstatSync(join(folder, path), { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || stampOf(stats) !== stamp) return false;
    if (breaks.due) await breaks.take();
  }
  return true;
}

const identityAt = (folder: string): string => identityOf(lstatSync(folder, { bigint: true }));

interface Writing {
  owner?: Owner | undefined;
  readOnly?: boolean;
}

async function writeAll(store: Store, files: Tree, folder: string, how: Writing): Promise<Map<string, KnownFile>> {
  const written = new Map<string, KnownFile>();
  const folders = new Set<string>();
  const breaks = new Breaks();
  for (const [path, file] of files) {
    if (treePath(path) !== path) throw new Error(`${JSON.stringify(path)} is no path of a tree`);
    makeFolders(folder, dirname(path), folders, how);
    const content = await store.object(file.id);
    const stats = write(join(folder, path), path, file, content, how);
    // From then on all changes show, and the caller waits for that.
    const settled = isSettled(stats, Date.now() + settlingMs);
    written.set(path, { ...file, stamp: stampOf(stats), settled });
    if (breaks.due) await breaks.take();
  }
  return written;
}

/** Writes a file that is new in its folder, so that nothing is written through a link. */
function write(
  place: string,
  path: string,
  { mode }: TreeFile,
  content: Uint8Array,
  { owner, readOnly = false }: Writing,
): BigIntStats {
  if (mode === 'link') {
    const target = new TextDecoder().decode(content);
    if (linkTarget(path, target) === undefined) throw new Error(`${JSON.stringify(path)} is a link that leads out`);
    symlinkSync(target, place);
    if (owner !== undefined) lchownSync(place, owner.uid, owner.gid);
    return lstatSync(place, { bigint: true });
  }
  const permissions = (mode === 'executable' ? 0o755 : 0o644) & (readOnly ? 0o555 : 0o777);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const fd = openSync(place, flags, permissions);
  try {
    for (let at = 0; at < content.length;) at += writeSync(fd, content, at);
    // The process may be one that gives fewer permissions to new files.
    fchmodSync(fd, permissions);
    if (owner !== undefined) fchownSync(fd, owner.uid, owner.gid);
    return fstatSync(fd, { bigint: true });
  } finally {
    closeSync(fd);
  }
}

/** The folders that a path names on its way, the inner ones first. */
function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === '.' ? [] : [above, ...foldersAbove(above)];
}

/** Makes a folder, and those that it stands in. @param there those that are there already */
function makeFolders(root: string, path: string, there: Set<string>, how: Writing): void {
  if (path === '.' || there.has(path)) return;
  makeFolders(root, dirname(path), there, how);
  there.add(path);
  const place = join(root, path);
  if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) return;
  mkdirSync(place);
  chmodSync(place, 0o755);
  if (how.owner !== undefined) chownSync(place, how.owner.uid, how.owner.gid);
}

/** Removes a folder and those that it stands in, as far as they are empty. */
function removeEmpty(root: string, path: string): void {
  for (let each = path; each !== '.'; each = dirname(each)) {
    try {
      rmdirSync(join(root, each));
    } catch {
      return;
    }
  }
}
