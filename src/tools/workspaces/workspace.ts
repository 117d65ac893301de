import type { WorkspaceInput } from '../../protocol/workspace.ts';
import { largeHashOf } from '../../util/ids.ts';
import type { Store } from '../../store/store.ts';
import { ToolError } from '../tool.ts';
import { isSameFile, linkTarget, treePath, type Trees } from './tree.ts';
import type { Tree, TreeFile, Workspace, WorkspaceFile } from '../workspace.ts';

/** The folder in which an agent finds the files of its run, such as attachments. */
export const attachmentsFolder = 'attachments';
export const workspaceLimits = { files: 20_000, folders: 20_000, bytes: 500_000_000, fileBytes: 50_000_000 };
export type WorkspaceLimits = typeof workspaceLimits;

const maxLinks = 10;
const pendingBytes = 16_000_000;

export class StoredWorkspace implements Workspace {
  readonly #store: Store;
  readonly #trees: Trees;
  readonly #own: Map<string, TreeFile>;
  readonly #others: Map<string, TreeFile>;
  readonly #mounts: string[];
  /** How many files each folder has, those of its folders included. */
  readonly #folders = new Map<string, number>();
  readonly #pending = new Map<string, Uint8Array>();
  #pendingBytes = 0;
  #bytes = 0;
  #isChanged = false;

  private constructor(store: Store, trees: Trees, own: Map<string, TreeFile>, others: Map<string, TreeFile>) {
    this.#store = store;
    this.#trees = trees;
    this.#own = own;
    this.#others = others;
    this.#mounts = [...new Set([...others.keys()].map((path) => path.split('/')[0] ?? ''))];
    for (const [path, { bytes }] of own) {
      this.#bytes += bytes;
      this.#count(path, 1);
    }
  }

  /** @param workflowId the run whose attachments are in the folder `attachments` */
  static async open(store: Store, trees: Trees, input: WorkspaceInput, workflowId: string): Promise<StoredWorkspace> {
    const { others, own } = await filesIn(store, trees, input, workflowId);
    return new StoredWorkspace(store, trees, own, others);
  }

  files(): WorkspaceFile[] {
    const listed = (files: Map<string, TreeFile>, readOnly: boolean): WorkspaceFile[] =>
      [...files].map(([path, { bytes, mode }]) => ({ path, bytes, executable: mode === 'executable', readOnly }));
    const own = listed(this.#own, false).filter(({ path }) => !this.#isMounted(path));
    return [...own, ...listed(this.#others, true)].toSorted((one, other) => (one.path < other.path ? -1 : 1));
  }

  trees(): { own: Tree; others: Tree } {
    return { own: this.#own, others: this.#others };
  }

  replace(files: Tree): void {
    const hidden = [...this.#own].filter(([path]) => this.#isMounted(path));
    const wanted = new Map([...files, ...hidden]);
    const isSame = ([path, file]: [string, TreeFile]): boolean => isSameFile(this.#own.get(path), file);
    if (wanted.size === this.#own.size && [...wanted].every(isSame)) return;
    this.#own.clear();
    this.#folders.clear();
    this.#bytes = 0;
    for (const [path, file] of wanted) {
      this.#own.set(path, file);
      this.#bytes += file.bytes;
      this.#count(path, 1);
    }
    this.#isChanged = true;
  }

  async read(path: string): Promise<Uint8Array> {
    let place = this.#placeOf(path);
    for (let links = 0; links <= maxLinks; links++) {
      // The tools for attachments call them by their names alone.
      const file =
        this.#others.get(place) ??
        (this.#isMounted(place) ? undefined : this.#own.get(place)) ??
        this.#others.get(`${attachmentsFolder}/${place}`);
      if (file === undefined) throw new ToolError(`there is no file ${path}; list_files lists what there is`);
      const content = this.#pending.get(file.id) ?? (await this.#store.object(file.id));
      if (file.mode !== 'link') return content;
      const next = linkTarget(place, new TextDecoder().decode(content));
      if (next === undefined) throw new ToolError(`${path} is a link that leads out of the workspace`);
      place = next;
    }
    throw new ToolError(`${path} is a link to a link, more than ${maxLinks} times`);
  }

  async write(path: string, content: Uint8Array | string, mode?: TreeFile['mode']): Promise<void> {
    const place = this.#placeOf(path);
    this.#refuseReadOnly(place);
    const above = foldersOf(place).find((folder) => this.#own.has(folder));
    if (above !== undefined) throw new ToolError(`${above} is a file, so that there can be no ${place}`);
    if (this.#folders.has(place)) throw new ToolError(`${place} is a folder`);
    const old = this.#own.get(place);
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    this.#refuseLarge(place, bytes.length, old);
    const id = await largeHashOf(bytes);
    if (old?.id === id && (mode === undefined || mode === old.mode)) return;
    this.#own.set(place, {
      id,
      bytes: bytes.length,
      mode: mode ?? (old?.mode === 'executable' ? 'executable' : 'file'),
    });
    this.#bytes += bytes.length - (old?.bytes ?? 0);
    if (old === undefined) this.#count(place, 1);
    this.#isChanged = true;
    this.#pending.set(id, bytes);
    this.#pendingBytes += bytes.length;
    if (this.#pendingBytes >= pendingBytes) await this.#flush();
  }

  remove(path: string): void {
    const place = this.#placeOf(path);
    this.#refuseReadOnly(place);
    const gone = this.#folders.has(place)
      ? [...this.#own.keys()].filter((each) => each.startsWith(`${place}/`))
      : [place].filter((each) => this.#own.has(each));
    if (gone.length === 0) throw new ToolError(`there is no file ${path}; list_files lists what there is`);
    for (const each of gone) {
      this.#bytes -= this.#own.get(each)?.bytes ?? 0;
      this.#own.delete(each);
      this.#count(each, -1);
    }
    this.#isChanged = true;
  }

  async move(from: string, to: string): Promise<void> {
    const [place, target] = [this.#placeOf(from), this.#placeOf(to)];
    this.#refuseReadOnly(place);
    const file = this.#own.get(place);
    if (file === undefined) throw new ToolError(`there is no file ${from}; list_files lists what there is`);
    if (place === target) return;
    const content = this.#pending.get(file.id) ?? (await this.#store.object(file.id));
    // First the old one goes, since a file may move into a folder of its own name.
    this.remove(place);
    try {
      await this.write(target, content, file.mode);
    } catch (error) {
      await this.write(place, content, file.mode);
      throw error;
    }
  }

  /** Stores what has changed. @returns the id of the tree; undefined if nothing has changed, null if no file is left */
  async commit(): Promise<string | null | undefined> {
    if (!this.#isChanged) return undefined;
    await this.#flush();
    return this.#trees.write(this.#own);
  }

  #count(path: string, by: number): void {
    for (const folder of foldersOf(path)) {
      const files = (this.#folders.get(folder) ?? 0) + by;
      if (files === 0) this.#folders.delete(folder);
      else this.#folders.set(folder, files);
    }
  }

  async #flush(): Promise<void> {
    await this.#store.putObjects([...this.#pending.values()]);
    this.#pending.clear();
    this.#pendingBytes = 0;
  }

  #placeOf(path: string): string {
    const place = treePath(path);
    if (place !== undefined) return place;
    throw new ToolError(
      `${JSON.stringify(path)} is no path of the workspace: names joined by /, without .. and without a / in front`,
    );
  }

  #isMounted(place: string): boolean {
    return this.#mounts.includes(place.split('/')[0] ?? '');
  }

  #refuseReadOnly(place: string): void {
    if (this.#isMounted(place))
      throw new ToolError(`${place} can only be read: what is in ${place.split('/')[0]}/ is not yours`);
  }

  #refuseLarge(place: string, bytes: number, old: TreeFile | undefined): void {
    const { bytes: most, fileBytes, files, folders } = workspaceLimits;
    if (bytes > fileBytes) throw new ToolError(`${place} would have ${bytes} bytes; a file may have ${fileBytes}`);
    if (old === undefined && this.#own.size >= files) throw new ToolError(`a workspace may have ${files} files`);
    const added = old === undefined ? foldersOf(place).filter((each) => !this.#folders.has(each)).length : 0;
    if (this.#folders.size + added > folders) throw new ToolError(`a workspace may have ${folders} folders`);
    const sum = this.#bytes + bytes - (old?.bytes ?? 0);
    if (sum > most) throw new ToolError(`with ${place} the workspace would have ${sum} bytes; it may have ${most}`);
  }
}

/** The folders that a path names on its way: `a` and `a/b` of `a/b/c`. */
export function foldersOf(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** @param workflowId the run whose attachments are in the folder `attachments` */
export async function filesIn(
  store: Store,
  trees: Trees,
  { mounts, tree }: WorkspaceInput,
  workflowId: string,
): Promise<Record<'own' | 'others', Map<string, TreeFile>>> {
  const others = new Map<string, TreeFile>();
  for (const { path, tree: mounted } of mounts) {
    for (const [name, file] of await trees.read(mounted)) others.set(`${path}/${name}`, file);
  }
  const files = await store.files(workflowId);
  // A file of an archive has its archive's name before its own, so that an archive is the folder of its files.
  const unpacked = new Set(files.flatMap(({ name }) => foldersOf(name)));
  for (const { bytes, content, name } of files) {
    const path = treePath(`${attachmentsFolder}/${name}`);
    if (path === undefined || unpacked.has(name)) continue;
    others.set(path, { id: content, bytes, mode: 'file' });
  }
  return { own: await trees.read(tree), others };
}
