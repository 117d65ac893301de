import type { BigIntStats } from 'node:fs';
import { withFolder, type OpenFolder } from './open-folder.ts';
import { isSettled, stampOf } from './stamps.ts';
import { linkTarget, treePath } from './tree.ts';
import type { FileMode } from '../workspace.ts';

export interface FolderLimits {
  files: number;
  folders: number;
  bytes: number;
  /** Files of more bytes are left out. */
  fileBytes: number;
}

export interface ReadingOrder {
  /** The folder, which is no link itself. */
  folder: string;
  /** What it is to have been made as; absent: whatever is there. */
  identity?: string | undefined;
  /** Paths in it that are not looked at. */
  skipped: string[];
  /** Names that are left out wherever they stand: these, and those that begin with one that ends in `*`. */
  leftOut: string[];
  limits: FolderLimits;
}

/** A file that was read. Its content stands in its batch where those before it end. */
export interface FileRead {
  path: string;
  mode: FileMode;
  bytes: number;
  stamp: string;
  /** Whether every later change will give it another stamp. */
  settled: boolean;
}

export interface ReadingEnd {
  /** What was left out, each with the reason. */
  leftOut: string[];
  /** Whether something has other permissions than a tree gives it, or another name besides, which no tree says. */
  isOdd: boolean;
}

/** How many bytes of files one batch has at least, unless it is the last. */
const batchBytes = 4_000_000;

/** How many entries are looked at for each file that there may be, so that a folder of fifos has an end too. */
const entriesOverFiles = 5;

/** How many of the things left out are named. */
const mostNamed = 200;

/** The permissions of files, and of those that can be run. */
const usual = [0o644n, 0o755n];
const usualFolder = 0o755n;
const permissions = 0o7777n;

interface Seen {
  name: string;
  path: string;
  mode: FileMode;
}

/** One look through a folder, without a break. No link is followed, and what is no file is not opened. */
export class FolderReading {
  readonly #order: ReadingOrder;
  readonly #known: ReadonlyMap<string, string>;
  readonly #give: (files: FileRead[], content: Uint8Array) => void;
  /** Files that are new or changed, by their folders. */
  readonly #seen = new Map<string, Seen[]>();
  /** How many files and bytes the folders of the first level have. */
  readonly #sizes = new Map<string, { files: number; bytes: number }>();
  readonly #leftOut: string[] = [];
  #leftOutCount = 0;
  #isOdd = false;
  #files = 0;
  #folders = 0;
  #bytes = 0;
  #entries = 0;
  #batch: FileRead[] = [];
  #contents: Uint8Array[] = [];
  #batchBytes = 0;

  /**
   * @param known the stamps of files that are known, by their paths
   * @param give gets batches of those that are new or have another stamp
   */
  constructor(
    order: ReadingOrder,
    known: ReadonlyMap<string, string>,
    give: (files: FileRead[], content: Uint8Array) => void,
  ) {
    this.#order = order;
    this.#known = known;
    this.#give = give;
  }

  /**
   * Looks at everything, and then reads what is new.
   *
   * @param onSame gets the known files that have their stamps still
   * @throws `Error` if the folder cannot be read or holds too much, before anything of it is read
   */
  run(onSame: (path: string) => void): ReadingEnd {
    this.#withRoot((root) => this.#look(root, '', root.device, onSame));
    this.#refuseTooMuch();
    for (const [prefix, files] of this.#seen) this.#readAll(prefix, files);
    this.#flush();
    const more = this.#leftOutCount - this.#leftOut.length;
    return { leftOut: [...this.#leftOut, ...(more > 0 ? [`and ${more} more`] : [])], isOdd: this.#isOdd };
  }

  #withRoot(use: (root: OpenFolder) => void): void {
    const { folder, identity } = this.#order;
    withFolder(folder, (root) => {
      if (identity !== undefined && root.identity !== identity) throw new Error('another folder is in its place');
      use(root);
    });
  }

  #leave(path: string, why: string): void {
    this.#leftOutCount++;
    if (this.#leftOut.length < mostNamed) this.#leftOut.push(`${JSON.stringify(path.slice(0, 300))}: ${why}`);
  }

  #look(folder: OpenFolder, prefix: string, device: bigint, onSame: (path: string) => void): void {
    let isEmpty = true;
    for (const name of folder.names()) {
      isEmpty = false;
      if (++this.#entries > this.#order.limits.files * entriesOverFiles) this.#refuseTooMuch();
      const path = `${prefix}${name}`;
      if (this.#order.skipped.includes(path)) continue;
      try {
        this.#lookAt(folder, name, prefix, device, onSame);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        // Without a code it is the one of `refuseTooMuch`.
        if (code === undefined) throw error;
        this.#leave(path, `cannot be read (${code})`);
      }
    }
    if (isEmpty && prefix !== '') this.#leave(prefix, 'is an empty folder');
  }

  #lookAt(folder: OpenFolder, name: string, prefix: string, device: bigint, onSame: (path: string) => void): void {
    const { leftOut, limits } = this.#order;
    const path = `${prefix}${name}`;
    if (leftOut.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each)))
      return this.#leave(path, 'is not taken along');
    // A name that is no UTF-8 arrives with this character in the place of what cannot be read, which is another name.
    const knownAs = this.#known.get(path);
    if (knownAs === undefined && (name.includes('\uFFFD') || treePath(path) !== path))
      return this.#leave(path, 'has a name that no path may have');
    const stats = folder.stats(name);
    if (stats.dev !== device) return this.#leave(path, 'is on another file system');
    const stamp = knownAs === undefined ? undefined : stampOf(stats);
    if (stats.isDirectory()) {
      this.#folders++;
      this.#isOdd ||= (stats.mode & permissions) !== usualFolder;
      return folder.within(name, (sub) => this.#look(sub, `${path}/`, device, onSame));
    }
    const isLink = stats.isSymbolicLink();
    if (!stats.isFile() && !isLink) return this.#leave(path, 'is no file, folder or link');
    if (stats.size > BigInt(limits.fileBytes))
      return this.#leave(path, `has ${stats.size} bytes; a file may have ${limits.fileBytes}`);
    this.#isOdd ||= stats.nlink > 1n || !(isLink || usual.includes(stats.mode & permissions));
    this.#count(path, Number(stats.size));
    if (stamp !== undefined && stamp === knownAs) return onSame(path);
    const mode = isLink ? 'link' : (stats.mode & 0o100n) !== 0n ? 'executable' : 'file';
    const some = this.#seen.get(prefix);
    if (some === undefined) this.#seen.set(prefix, [{ name, path, mode }]);
    else some.push({ name, path, mode });
    return undefined;
  }

  #count(path: string, size: number): void {
    this.#files++;
    this.#bytes += size;
    const end = path.indexOf('/');
    const first = end === -1 ? '.' : path.slice(0, end);
    const of = this.#sizes.get(first) ?? { files: 0, bytes: 0 };
    of.files++;
    of.bytes += size;
    this.#sizes.set(first, of);
  }

  #refuseTooMuch(): void {
    const { bytes: mostBytes, files: mostFiles, folders: mostFolders } = this.#order.limits;
    const isEndless = this.#entries > mostFiles * entriesOverFiles;
    const isIn = this.#files <= mostFiles && this.#folders <= mostFolders && this.#bytes <= mostBytes;
    if (!isEndless && isIn) return;
    const by = this.#bytes > mostBytes ? 'bytes' : 'files';
    const [largest] = [...this.#sizes].toSorted(([, one], [, other]) => other[by] - one[by]);
    const what = `${this.#files} files of ${this.#bytes} bytes in ${this.#folders} folders${isEndless ? ' and more' : ''}`;
    const where = largest === undefined ? '' : `; the most is in ${largest[0]}/: ${largest[1][by]} ${by}`;
    throw new Error(`it has ${what}, and may have ${mostFiles} files of ${mostBytes} bytes in ${mostFolders}${where}`);
  }

  /** Reads files of one folder, which is opened again part by part. */
  #readAll(prefix: string, files: Seen[]): void {
    const names = prefix.split('/').slice(0, -1);
    const open = (folder: OpenFolder, [next, ...more]: string[]): void => {
      if (next !== undefined) return folder.within(next, (sub) => open(sub, more));
      for (const file of files) this.#read(folder, file);
    };
    try {
      this.#withRoot((root) => open(root, names));
    } catch (error) {
      this.#leave(prefix, `was changed while it was read (${(error as NodeJS.ErrnoException).code})`);
    }
  }

  #read(folder: OpenFolder, { mode, name, path }: Seen): void {
    try {
      const now = Date.now();
      const found = mode === 'link' ? readLink(folder, name) : folder.read(name, this.#order.limits.fileBytes);
      if (found === undefined) return this.#leave(path, 'was changed while it was read');
      const { content, stats } = found;
      if (mode === 'link' && linkTarget(path, new TextDecoder().decode(content)) === undefined)
        return this.#leave(path, 'is a link that leads out, or may');
      this.#add({ path, mode, bytes: content.length, stamp: stampOf(stats), settled: isSettled(stats, now) }, content);
    } catch (error) {
      this.#leave(path, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
    return undefined;
  }

  #add(file: FileRead, content: Uint8Array): void {
    this.#batch.push(file);
    this.#contents.push(content);
    this.#batchBytes += content.length;
    if (this.#batchBytes >= batchBytes) this.#flush();
  }

  #flush(): void {
    const [batch, contents] = [this.#batch, this.#contents];
    const all = new Uint8Array(this.#batchBytes);
    [this.#batch, this.#contents, this.#batchBytes] = [[], [], 0];
    if (batch.length === 0) return;
    let at = 0;
    for (const content of contents) {
      all.set(content, at);
      at += content.length;
    }
    this.#give(batch, all);
  }
}

function readLink(folder: OpenFolder, name: string): { content: Uint8Array; stats: BigIntStats } {
  return { content: new TextEncoder().encode(folder.target(name)), stats: folder.stats(name) };
}
