import { Yielder } from '../../util/yielder.ts';
import { hashOf } from '../../util/ids.ts';
import type { Store } from '../../store/store.ts';
import type { FileMode, Tree, TreeFile } from '../workspace.ts';

/** What a folder's object holds, as JSON, sorted by name. `sub`: a folder, by the id of its object. */
type FolderEntry = [name: string, id: string, kind: FileMode | 'sub', bytes: number];

export const isSameFile = (one: TreeFile | undefined, other: TreeFile | undefined): boolean =>
  one?.id === other?.id && one?.mode === other?.mode;

/**
 * A tree without what makes a folder a repository, since git runs what a repository's configuration says: `.git`, and the `HEAD` of a
 * folder that is laid out as one (https://git-scm.com/docs/git-config#Documentation/git-config.txt-safebareRepository). Disks may take
 * small and capital letters for the same.
 */
export function withoutGit(tree: Tree): Map<string, TreeFile> {
  const inside = [...tree.keys()].map((path) => path.toLowerCase());
  const laidOut = new Set(inside.flatMap((path) => /^((?:.*\/)?)(?:objects\/.*|commondir)$/.exec(path)?.[1] ?? []));
  const isGit = (path: string): boolean =>
    path.split('/').includes('.git') || (/(?:^|\/)head$/.test(path) && laidOut.has(path.slice(0, -'head'.length)));
  return new Map([...tree].filter(([path]) => !isGit(path.toLowerCase())));
}

/**
 * Trees of files in the store, one object for each file and each folder as in git's object model: a tree's id says all of
 * its content, and two trees share what is equal in them (https://git-scm.com/book/en/v2/Git-Internals-Git-Objects).
 */
export class Trees {
  readonly #store: Store;
  readonly #folders = new Map<string, FolderEntry[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The files of a tree. @param id null for the empty one @throws `Error` if the store lacks a part of it */
  async read(id: string | null): Promise<Map<string, TreeFile>> {
    const files = new Map<string, TreeFile>();
    const yielder = new Yielder();
    const walk = async (folder: string, prefix: string): Promise<void> => {
      for (const [name, object, kind, bytes] of await this.#entries(folder)) {
        if (yielder.due) await yielder.yield();
        const path = `${prefix}${name}`;
        if (kind === 'sub') await walk(object, `${path}/`);
        else files.set(path, { id: object, bytes, mode: kind });
      }
    };
    if (id !== null) await walk(id, '');
    return files;
  }

  /** Stores a tree, whose files are stored already. @returns its id; null if it has no files */
  async write(tree: Tree): Promise<string | null> {
    if (tree.size === 0) return null;
    const made = new Map<string, FolderEntry[]>();
    const id = await idOf(tree, 0, made, new Yielder());
    // What this process has stored before may have been removed since, by `prune`.
    const missing = new Set(await this.#store.missingObjects([...made.keys()]));
    const added = [...made].filter(([each]) => missing.has(each));
    await this.#store.putObjects(added.map(([, entries]) => contentOf(entries)));
    for (const [each, entries] of made) this.#remember(each, entries);
    return id;
  }

  async #entries(id: string): Promise<FolderEntry[]> {
    const known = this.#folders.get(id);
    if (known !== undefined) return known;
    const entries = JSON.parse(new TextDecoder().decode(await this.#store.object(id))) as FolderEntry[];
    this.#remember(id, entries);
    return entries;
  }

  #remember(id: string, entries: FolderEntry[]): void {
    if (this.#folders.size >= remembered) this.#folders.clear();
    this.#folders.set(id, entries);
  }
}

/** How many folders are kept in memory, since the next call of an agent reads most of those of its last one. */
const remembered = 20_000;

const contentOf = (entries: FolderEntry[]): Uint8Array => new TextEncoder().encode(JSON.stringify(entries));

/**
 * The id of a folder.
 *
 * @param from how many characters of each path lead to the folder
 * @param made gets what its object and those of the folders in it hold, by their ids
 */
async function idOf(
  files: Iterable<readonly [path: string, file: TreeFile]>,
  from: number,
  made: Map<string, FolderEntry[]>,
  yielder: Yielder,
): Promise<string> {
  // On the way down too, since all files may lie in the deepest folder.
  if (yielder.due) await yielder.yield();
  const entries: FolderEntry[] = [];
  for (const [folder, inside] of Map.groupBy(files, ([path]) => path.slice(from, path.indexOf('/', from) + 1))) {
    if (folder === '') {
      for (const [path, { id, mode, bytes }] of inside) entries.push([path.slice(from), id, mode, bytes]);
    } else {
      entries.push([folder.slice(0, -1), await idOf(inside, from + folder.length, made, yielder), 'sub', 0]);
    }
  }
  entries.sort(([one], [other]) => (one < other ? -1 : 1));
  const id = hashOf(contentOf(entries));
  made.set(id, entries);
  return id;
}

/** The longest path and the longest name in it, in bytes, and the deepest folder. Linux takes names of 255 bytes. */
const longestPath = 1000;
const longestName = 200;
const maxDepth = 50;

/** What no name may hold: it would not survive a terminal, a list of names or another machine. */
const unfit = /[\p{Cc}\p{Cs}\\]/u;

/**
 * Names joined by `/`, without `.` and empty ones. Undefined for what leads out of the tree, or holds what no path may:
 * absolute paths, `..`, backslashes, control characters, and what is too long.
 */
export function treePath(path: string): string | undefined {
  if (path.startsWith('/') || unfit.test(path) || Buffer.byteLength(path) > longestPath) return undefined;
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const isBad = (name: string): boolean => name === '..' || Buffer.byteLength(name) > longestName;
  if (names.length === 0 || names.length > maxDepth || names.some(isBad)) return undefined;
  return names.join('/');
}

/**
 * Where a link of a tree leads to, as a path of the tree; undefined for one that leads out, or may: `..` may only stand at
 * the beginning, since after a name that is a link itself it would lead to wherever that one points.
 */
export function linkTarget(link: string, target: string): string | undefined {
  if (target.startsWith('/')) return undefined;
  const names = link.split('/').slice(0, -1);
  const parts = target.split('/').filter((name) => name !== '' && name !== '.');
  const down = parts.findIndex((name) => name !== '..');
  const up = down === -1 ? parts.length : down;
  if (up > names.length) return undefined;
  return treePath([...names.slice(0, names.length - up), ...parts.slice(up)].join('/'));
}
