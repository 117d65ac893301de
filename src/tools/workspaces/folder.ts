import { chmodSync, chownSync, closeSync, constants, fchmodSync, fchownSync, fstatSync, lchownSync } from 'node:fs';
import { lstatSync, mkdirSync, openSync, rmdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Yielder } from '../../util/yielder.ts';
import type { ImportedFolder } from '../../protocol/workspace.ts';
import type { Store } from '../../store/store.ts';
import { identityOf } from './open-folder.ts';
import { readFolder, settledKey, tickMs, type FolderContent, type KnownFile } from './read-folder.ts';
import { isSameFile, linkTarget, treePath, withoutGit, type Trees } from './tree.ts';
import { foldersOf, type WorkspaceLimits } from './workspace.ts';
import type { Tree, TreeFile } from '../workspace.ts';

/** What an import leaves out: histories of versions, packages that are installed again, Reprise's own data, secrets. */
const notImported = ['.git', 'node_modules', '.reprise', '.env*'];

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
  limits?: WorkspaceLimits,
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

export interface Checkout {
  folder: string;
  /** What tells it from a folder that was put in its place. */
  identity: string;
  own: ReadonlyMap<string, KnownFile>;
  /** Names of folders in it that are to be read only. */
  mounts: string[];
}

/** Whose the files of a folder are to be, by the system's numbers. */
export interface Owner {
  uid: number;
  gid: number;
}

/**
 * Writes a tree into a folder that exists and is empty, or is an earlier checkout without mounts, of which it changes what
 * differs. Besides, it writes mounts to be read only, of which repositories are left out: a command of git in one would run
 * what its owner has put into its configuration. Files of the tree in a folder of the mounts are not written.
 *
 * @param owner absent: the process's own user
 * @throws `Error` of the system, such as a disk that is full
 */
export async function checkout(
  store: Store,
  folder: string,
  own: Tree,
  mounted: Tree = new Map(),
  { before = new Map(), owner }: { before?: Checkout['own'] | undefined; owner?: Owner | undefined } = {},
): Promise<Checkout> {
  chmodSync(folder, 0o755);
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const mounts = [...new Set([...mounted.keys()].map(firstOf))];
  const missing = new Map([...own].filter(([path]) => !mounts.includes(firstOf(path))));
  const files = new Map<string, KnownFile>();
  const yielder = new Yielder();
  for (const [path, file] of before) {
    if (yielder.due) await yielder.yield();
    if (isSameFile(file, missing.get(path))) {
      files.set(path, file);
      missing.delete(path);
    } else {
      unlinkSync(join(folder, path));
      removeEmpty(folder, path);
    }
  }
  for (const [path, file] of await writeAll(store, missing, folder, { owner })) files.set(path, file);
  await writeAll(store, withoutGit(mounted), folder, { readOnly: true });
  // From then on all changes show.
  await pause(tickMs + 1);
  return { folder, identity: identityOf(lstatSync(folder, { bigint: true })), own: files, mounts };
}

const firstOf = (path: string): string => path.split('/')[0] ?? '';

export type Snapshot = Omit<FolderContent, 'files'> & { checkout: Checkout };

/**
 * Stores what has changed in a folder but for mounts and, as in `importFolder`, what cannot be part of a tree. @throws
 * `Error` if it holds more than the limits
 */
export async function snapshot(
  store: Store,
  { folder, identity, mounts, own }: Checkout,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const { files, ...rest } = await readFolder(store, folder, { identity, known: own, skipped: mounts, signal });
  return { ...rest, checkout: { folder, identity, mounts, own: files } };
}

interface Writing {
  owner?: Owner | undefined;
  readOnly?: boolean;
}

/** @returns the files as they are known as soon as the clock has ticked */
async function writeAll(store: Store, files: Tree, folder: string, how: Writing): Promise<Map<string, KnownFile>> {
  const written = new Map<string, KnownFile>();
  const folders = new Set<string>();
  const yielder = new Yielder();
  for (const [path, file] of files) {
    if (treePath(path) !== path) throw new Error(`${JSON.stringify(path)} is no path of a tree`);
    makeFolders(folder, path, folders, how);
    const content = await store.object(file.id);
    const stats = write(join(folder, path), path, file, content, how);
    written.set(path, { ...file, key: settledKey(stats, Infinity) });
    if (yielder.due) await yielder.yield();
  }
  if (how.readOnly) for (const each of folders) chmodSync(join(folder, each), 0o555);
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
    writeFileSync(fd, content);
    // The process may be one that gives fewer permissions to new files.
    fchmodSync(fd, permissions);
    if (owner !== undefined) fchownSync(fd, owner.uid, owner.gid);
    return fstatSync(fd, { bigint: true });
  } finally {
    closeSync(fd);
  }
}

function makeFolders(root: string, path: string, there: Set<string>, { owner }: Writing): void {
  for (const above of foldersOf(path).filter((each) => !there.has(each))) {
    there.add(above);
    const place = join(root, above);
    if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) continue;
    mkdirSync(place);
    chmodSync(place, 0o755);
    if (owner !== undefined) chownSync(place, owner.uid, owner.gid);
  }
}

export function removeEmpty(root: string, path: string): void {
  for (const above of foldersOf(path).toReversed()) {
    try {
      rmdirSync(join(root, above));
    } catch {
      return;
    }
  }
}
