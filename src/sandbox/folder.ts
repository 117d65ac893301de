import { constants, type BigIntStats } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Breaks } from '../breaks.ts';
import { largeHashOf } from '../store/ids.ts';
import type { Store } from '../store/store.ts';
import { ToolError } from '../tools/tool.ts';
import { treePath, type FileMode, type Tree, type TreeFile } from './tree.ts';
import { workspaceLimits } from './workspace.ts';

/** What a folder holds, as far as a tree can hold it. */
export interface Collected {
  files: Map<string, TreeFile>;
  /** What was left out, each with the reason, such as `a/socket: neither a file nor a link`. */
  skipped: string[];
}

/** How many files are read or written at the same time, and how many bytes wait in memory to be stored. */
const atOnce = 16;
const pendingBytes = 16_000_000;

/**
 * A tree as a folder of the machine, for programs that know only those. The folder belongs to one call and is thrown away
 * after it: what was changed in it comes back as a tree.
 *
 * What a program has left there is not trusted. Links are stored as links, and only if they lead to a place within the
 * folder; files with several names, which may be a file elsewhere, and whatever is neither file nor link are left out.
 */
export class Folder {
  readonly path: string;
  readonly #store: Store;
  readonly #isMounted: (path: string) => boolean;
  readonly #known = new Map<string, { stamp: string; file: TreeFile }>();

  private constructor(path: string, store: Store, isMounted: (path: string) => boolean) {
    this.path = path;
    this.#store = store;
    this.#isMounted = isMounted;
  }

  /**
   * Makes a folder with the files of a tree in it.
   *
   * @param path where it is made; there must be nothing yet
   * @param mounted files that are there besides, which are read-only and no part of what is collected; the first names of
   *   their paths belong to them alone
   * @throws `Error` if the store lacks a file, or if a file of the tree cannot be written
   */
  static async make(store: Store, path: string, tree: Tree, mounted: Tree = new Map()): Promise<Folder> {
    const mounts = new Set([...mounted.keys()].map(firstName));
    const folder = new Folder(path, store, (each) => mounts.has(firstName(each)));
    await mkdir(path, { recursive: true, mode: 0o700 });
    const own = [...tree].filter(([each]) => !mounts.has(firstName(each)));
    for (const parent of new Set([...own, ...mounted].map(([each]) => dirname(each)))) {
      await mkdir(join(path, parent), { recursive: true });
    }
    await eachAtOnce(own, ([each, file]) => folder.#write(each, file));
    // A link is no file that could be read-only, and what is mounted has none that leads out of it.
    const copies = [...mounted].filter(([, { mode }]) => mode !== 'link');
    await eachAtOnce(copies, async ([each, { id }]) => {
      await writeFile(join(path, each), await store.object(id), { flag: 'wx', mode: 0o444 });
    });
    return folder;
  }

  /**
   * Reads the folder and stores what is new in it. Files that are as they were the last time are not read again.
   *
   * Nothing may be written in it meanwhile, or what is collected never was there as a whole.
   *
   * @throws `ToolError` if there are more files or bytes than a workspace may have
   */
  async collect(): Promise<Collected> {
    const found = await this.#list();
    const files = new Map<string, TreeFile>();
    const batch = new Batch(this.#store);
    await eachAtOnce(found.entries, async ({ path, stats }) => {
      const file = await this.#read(path, stats, batch, found.skipped);
      if (file !== undefined) files.set(path, file);
    });
    await batch.flush();
    for (const path of this.#known.keys()) if (!files.has(path)) this.#known.delete(path);
    return { files: sorted(files), skipped: found.skipped.toSorted() };
  }

  async #write(path: string, file: TreeFile): Promise<void> {
    const place = join(this.path, path);
    const content = await this.#store.object(file.id);
    if (file.mode === 'link') {
      const target = new TextDecoder().decode(content);
      if (!leadsWithin(path, target)) return;
      await symlink(target, place);
    } else {
      await writeFile(place, content, { flag: 'wx', mode: file.mode === 'executable' ? 0o755 : 0o644 });
    }
    this.#known.set(path, { stamp: stampOf(await lstat(place, { bigint: true })), file });
  }

  /** Lists what is to be read. */
  async #list(): Promise<{ entries: Entry[]; skipped: string[] }> {
    const entries: Entry[] = [];
    const skipped: string[] = [];
    const breaks = new Breaks();
    let bytes = 0n;
    const walk = async (folder: string): Promise<void> => {
      for (const entry of await readdir(join(this.path, folder), { withFileTypes: true })) {
        if (breaks.due) await breaks.take();
        const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (this.#isMounted(name)) continue;
        const path = treePath(name);
        if (path === undefined) {
          skipped.push(`${JSON.stringify(name)}: no tree can hold this name`);
        } else if (entry.isDirectory()) {
          await walk(path);
        } else {
          const stats = await lstat(join(this.path, path), { bigint: true }).catch(ifGone);
          if (stats === undefined) continue;
          const why = whyLeftOut(stats);
          if (why !== undefined) skipped.push(`${path}: ${why}`);
          else {
            entries.push({ path, stats });
            bytes += stats.size;
          }
        }
        const { bytes: most, files } = workspaceLimits;
        if (entries.length > files) throw new ToolError(`there are more than ${files} files`);
        if (bytes > most) throw new ToolError(`the files have more than ${most} bytes`);
      }
    };
    await walk('');
    return { entries, skipped };
  }

  async #read(path: string, stats: BigIntStats, batch: Batch, skipped: string[]): Promise<TreeFile | undefined> {
    const stamp = stampOf(stats);
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.file;
    const read = await this.#content(path, stats);
    if (typeof read === 'string') skipped.push(`${path}: ${read}`);
    if (read === undefined || typeof read === 'string') return undefined;
    const id = await largeHashOf(read);
    const file: TreeFile = { id, bytes: read.length, mode: modeOf(stats) };
    await batch.add(read);
    this.#known.set(path, { stamp, file });
    return file;
  }

  /** The content of a file or the target of a link, or in words why it is left out; undefined if it has gone meanwhile. */
  async #content(path: string, stats: BigIntStats): Promise<Uint8Array | string | undefined> {
    const place = join(this.path, path);
    if (stats.isSymbolicLink()) {
      const target = await readlink(place).catch(ifGone);
      if (target === undefined) return undefined;
      return leadsWithin(path, target) ? new TextEncoder().encode(target) : 'a link that leads out of the folder';
    }
    // It may have become a link since it was looked at: then this fails, rather than to read what that leads to.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(place, flags).catch((error: NodeJS.ErrnoException) =>
      error.code === 'EACCES' ? ('it cannot be read' as const) : ifGone(error),
    );
    if (file === undefined || typeof file === 'string') return file;
    try {
      const why = whyLeftOut(await file.stat({ bigint: true }));
      return why ?? (await readFile(file));
    } finally {
      await file.close();
    }
  }
}

interface Entry {
  path: string;
  stats: BigIntStats;
}

/**
 * Whether a link leads to a place within the folder, whatever other links lie on its way. Behind a name `..` may lead
 * anywhere, since the name may be that of a link.
 */
function leadsWithin(link: string, target: string): boolean {
  const names = target.split('/').filter((name) => name !== '' && name !== '.');
  const down = names.findIndex((name) => name !== '..');
  if (target.startsWith('/') || down < 0 || names.slice(down).includes('..')) return false;
  return down < link.split('/').length && treePath(names.slice(down).join('/')) !== undefined;
}

const firstName = (path: string): string => path.split('/')[0] ?? '';

const sorted = (files: Map<string, TreeFile>): Map<string, TreeFile> =>
  new Map([...files].toSorted(([one], [other]) => (one < other ? -1 : 1)));

function whyLeftOut(stats: BigIntStats): string | undefined {
  if (stats.isSymbolicLink()) return undefined;
  if (!stats.isFile()) return 'neither a file nor a link';
  if (stats.nlink > 1n) return 'a file with several names (hard links)';
  if (stats.size <= workspaceLimits.fileBytes) return undefined;
  return `${stats.size} bytes; a file may have ${workspaceLimits.fileBytes}`;
}

function modeOf(stats: BigIntStats): FileMode {
  if (stats.isSymbolicLink()) return 'link';
  return (stats.mode & 0o100n) === 0n ? 'file' : 'executable';
}

/** What changes whenever a file does. A program can set the first of the times, and not the second. */
const stampOf = ({ ctimeNs, ino, mode, mtimeNs, size }: BigIntStats): string =>
  [ino, size, mtimeNs, ctimeNs, mode].join(' ');

/** What a program removes or replaces while it is looked at counts as not there. */
function ifGone(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ELOOP' || error.code === 'ENXIO') return;
  throw error;
}

/** Contents on their way into the store. */
class Batch {
  readonly #store: Store;
  #contents: Uint8Array[] = [];
  #bytes = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  async add(content: Uint8Array): Promise<void> {
    this.#contents.push(content);
    this.#bytes += content.length;
    if (this.#bytes >= pendingBytes) await this.flush();
  }

  async flush(): Promise<void> {
    const contents = this.#contents;
    [this.#contents, this.#bytes] = [[], 0];
    if (contents.length > 0) await this.#store.putObjects(contents);
  }
}

/** Does something with each of them, some at the same time. */
async function eachAtOnce<T>(all: T[], work: (each: T) => Promise<void>): Promise<void> {
  const rest = all.values();
  const runner = async (): Promise<void> => {
    for (const each of rest) await work(each);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, runner));
}
