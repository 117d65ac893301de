import type { BigIntStats } from 'node:fs';
import { Yielder } from '../../util/yielder.ts';
import type { Store } from '../../store/store.ts';
import { identityOf, OpenFolder, statKey } from './open-folder.ts';
import { linkTarget, treePath } from './tree.ts';
import { workspaceLimits, type WorkspaceLimits } from './workspace.ts';
import type { FileMode, TreeFile } from '../workspace.ts';

export interface KnownFile extends TreeFile {
  /** Its size, times, inode and mode, by which a change is noticed without reading it; empty if one might not show. */
  key: string;
}

export interface FolderContent {
  files: Map<string, KnownFile>;
  read: number;
  leftOut: string[];
  /** Whether the files say all of it: nothing has other permissions than a tree gives it, or another name besides. */
  isExact: boolean;
}

interface ReadingOptions {
  known?: ReadonlyMap<string, KnownFile>;
  /** What the folder is to have been made as (`identityOf`); absent: whatever is there. */
  identity?: string;
  skipped?: string[];
  /** Names that are left out wherever they stand; one that ends in `*` stands for all that begin so. */
  leftOut?: string[];
  limits?: WorkspaceLimits | undefined;
  signal?: AbortSignal | undefined;
}

/** In milliseconds. Linux tells times of files in ticks of up to 10 ms (https://git-scm.com/docs/racy-git). */
export const tickMs = 20;

/** The key of a file; empty unless every change from now on gives it another one. @param now in milliseconds */
export function settledKey(stats: BigIntStats, now: number): string {
  // Some file systems count in seconds.
  const isCoarse = stats.ctimeNs % 1_000_000_000n === 0n;
  return isCoarse || now - Number(stats.ctimeMs) <= tickMs ? '' : statKey(stats);
}

/**
 * Stores what a folder holds that is not known. No link is followed, what is no file is not opened, and what is put in the
 * place of something meanwhile is not reached by its name.
 *
 * @throws `Error` if the folder cannot be read, or holds too much; then nothing of it is stored
 */
export async function readFolder(store: Store, folder: string, options: ReadingOptions): Promise<FolderContent> {
  const root = new OpenFolder(folder);
  try {
    const { identity = identityOf(root.stats) } = options;
    if (identity !== identityOf(root.stats)) throw new Error('another folder is in its place');
    const reading = new FolderReading(root, options);
    await reading.look();
    return await reading.read(store);
  } finally {
    root.close();
  }
}

const batchBytes = 4_000_000;

/** How many entries are looked at for each file that there may be, so that a folder of fifos has an end too. */
const entriesOverFiles = 5;
const maxNamed = 200;
const usual = [0o644n, 0o755n];
const usualFolder = 0o755n;
const permissions = 0o7777n;

/** Two walks through a folder. No link is followed, and what is no file is not opened. */
class FolderReading {
  readonly #root: OpenFolder;
  readonly #options: ReadingOptions;
  readonly #limits: WorkspaceLimits;
  readonly #yielder = new Yielder();
  readonly #files = new Map<string, KnownFile>();
  /** Files that are new or have changed, by what stands before their names: a folder's path and a slash. All folders are here. */
  readonly #new = new Map<string, Array<{ name: string; mode: FileMode }>>([['', []]]);
  readonly #sizes = new Map<string, { files: number; bytes: number }>();
  readonly #leftOut: string[] = [];
  #leftOutCount = 0;
  #isOdd = false;
  #entries = 0;

  constructor(root: OpenFolder, options: ReadingOptions) {
    this.#root = root;
    this.#options = options;
    this.#limits = options.limits ?? workspaceLimits;
  }

  /** Looks at everything. @throws `Error` if it is too much */
  async look(): Promise<void> {
    // More are added meanwhile, and come too.
    for (const prefix of this.#new.keys())
      await this.#within(prefix, (folder) => this.#tried(prefix, () => this.#lookIn(folder, prefix)));
    this.#refuseTooMuch();
  }

  async read(store: Store): Promise<FolderContent> {
    let batch: Array<{ path: string; content: Uint8Array; file: Omit<KnownFile, 'id'> }> = [];
    let bytes = 0;
    let read = 0;
    const flush = async (): Promise<void> => {
      const ids = await store.putObjects(batch.map(({ content }) => content));
      for (const [index, { file, path }] of batch.entries()) this.#files.set(path, { id: ids[index] ?? '', ...file });
      read += batch.length;
      [batch, bytes] = [[], 0];
    };
    for (const [prefix, files] of this.#new) {
      await this.#within(prefix, async (folder) => {
        for (const { mode, name } of files) {
          const path = `${prefix}${name}`;
          const now = Date.now();
          const found = await this.#tried(path, () => this.#contentOf(folder, path, name, mode));
          if (found === undefined) continue;
          const { content, stats } = found;
          batch.push({ path, content, file: { mode, bytes: content.length, key: settledKey(stats, now) } });
          bytes += content.length;
          if (bytes >= batchBytes) await flush();
          await this.#pause();
        }
      });
    }
    await flush();
    const more = this.#leftOutCount - this.#leftOut.length;
    return {
      files: this.#files,
      read,
      leftOut: [...this.#leftOut, ...(more > 0 ? [`and ${more} more`] : [])],
      isExact: this.#leftOutCount === 0 && !this.#isOdd,
    };
  }

  async #lookIn(folder: OpenFolder, prefix: string): Promise<void> {
    let isEmpty = true;
    for await (const { name } of await folder.entries()) {
      isEmpty = false;
      if (++this.#entries > this.#limits.files * entriesOverFiles) this.#refuseTooMuch();
      await this.#tried(`${prefix}${name}`, () => this.#lookAt(folder, prefix, name));
      await this.#pause();
    }
    if (isEmpty && prefix !== '') this.#leave(prefix, 'is an empty folder');
  }

  #lookAt(folder: OpenFolder, prefix: string, name: string): void {
    const { known, leftOut = [], skipped = [] } = this.#options;
    const path = `${prefix}${name}`;
    if (skipped.includes(path)) return;
    if (leftOut.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each)))
      return this.#leave(path, 'is not taken along');
    const before = known?.get(path);
    // A name that is no UTF-8 arrives with this character in the place of what cannot be read, which is another name.
    if (before === undefined && (name.includes('\uFFFD') || treePath(path) !== path))
      return this.#leave(path, 'has a name that no path may have');
    const stats = folder.statsOf(name);
    if (stats.dev !== this.#root.stats.dev) return this.#leave(path, 'is on another file system');
    if (stats.isDirectory()) {
      this.#isOdd ||= (stats.mode & permissions) !== usualFolder;
      this.#new.set(`${path}/`, []);
      return;
    }
    const isLink = stats.isSymbolicLink();
    if (!stats.isFile() && !isLink) return this.#leave(path, 'is no file, folder or link');
    const bytes = Number(stats.size);
    if (bytes > this.#limits.fileBytes)
      return this.#leave(path, `has ${bytes} bytes; a file may have ${this.#limits.fileBytes}`);
    this.#isOdd ||= stats.nlink > 1n || !(isLink || usual.includes(stats.mode & permissions));
    this.#count(path, bytes);
    const mode = isLink ? 'link' : (stats.mode & 0o100n) !== 0n ? 'executable' : 'file';
    if (before?.key === statKey(stats)) this.#files.set(path, before);
    else this.#new.get(prefix)?.push({ name, mode });
    return undefined;
  }

  #count(path: string, bytes: number): void {
    const first = path.includes('/') ? path.slice(0, path.indexOf('/')) : '.';
    const of = this.#sizes.get(first) ?? { files: 0, bytes: 0 };
    this.#sizes.set(first, { files: of.files + 1, bytes: of.bytes + bytes });
  }

  #refuseTooMuch(): void {
    const { bytes: maxBytes, files: maxFiles, folders: maxFolders } = this.#limits;
    const sizes = [...this.#sizes];
    const files = sizes.reduce((sum, [, of]) => sum + of.files, 0);
    const bytes = sizes.reduce((sum, [, of]) => sum + of.bytes, 0);
    const folders = this.#new.size - 1;
    const isEndless = this.#entries > maxFiles * entriesOverFiles;
    if (!isEndless && files <= maxFiles && folders <= maxFolders && bytes <= maxBytes) return;
    const by = bytes > maxBytes ? 'bytes' : 'files';
    const [largest] = sizes.toSorted(([, one], [, other]) => other[by] - one[by]);
    const what = `${files} files of ${bytes} bytes in ${folders} folders${isEndless ? ' and more' : ''}`;
    const where = largest === undefined ? '' : `; the most is in ${largest[0]}/: ${largest[1][by]} ${by}`;
    throw new Error(`it has ${what}, and may have ${maxFiles} files of ${maxBytes} bytes in ${maxFolders}${where}`);
  }

  /** The content of a file or a link as it is now; undefined if it is left out. */
  async #contentOf(
    folder: OpenFolder,
    path: string,
    name: string,
    mode: FileMode,
  ): Promise<{ content: Uint8Array; stats: BigIntStats } | undefined> {
    if (mode !== 'link') {
      const found = await folder.read(name, this.#limits.fileBytes);
      if (found === undefined) this.#leave(path, 'was changed while it was read');
      return found;
    }
    const stats = folder.statsOf(name);
    const target = folder.target(name);
    if (linkTarget(path, target) !== undefined) return { content: new TextEncoder().encode(target), stats };
    this.#leave(path, 'is a link that leads out, or may');
    return undefined;
  }

  async #within(prefix: string, use: (folder: OpenFolder) => Promise<void>): Promise<void> {
    const folder = await this.#tried(prefix, () => this.#root.below(prefix.split('/').slice(0, -1)));
    try {
      if (folder !== undefined) await use(folder);
    } finally {
      folder?.close();
    }
  }

  /** Does what may fail for one file or folder alone, which is left out then. */
  async #tried<T>(path: string, work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (path === '' || typeof code !== 'string') throw error;
      this.#leave(path, `cannot be read (${code})`);
      return undefined;
    }
  }

  #leave(path: string, why: string): void {
    this.#leftOutCount++;
    if (this.#leftOut.length < maxNamed) this.#leftOut.push(`${JSON.stringify(path.slice(0, 300))}: ${why}`);
  }

  async #pause(): Promise<void> {
    this.#options.signal?.throwIfAborted();
    if (this.#yielder.due) await this.#yielder.yield();
  }
}
