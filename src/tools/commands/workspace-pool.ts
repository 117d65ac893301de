import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isAlive } from '../../util/processes.ts';
import type { Store } from '../../store/store.ts';
import { checkout, snapshot, type Checkout, type Owner, type Snapshot } from '../workspaces/folder.ts';
import { isSameFile } from '../workspaces/tree.ts';
import { endThoseIn } from './descendants.ts';
import type { Tree } from '../workspace.ts';

/** How many folders are kept between calls, and of how many bytes of files each at most. */
const maxKept = 8;
const maxBytes = 250_000_000;

interface Lease {
  agent: string;
  checkout: Checkout;
  /** A folder beside it, empty at the beginning. */
  scratch: string;
  after?: Snapshot;
}

/**
 * Folders of the machine with the files of workspaces. Each is one agent's, and is kept for its next call, so that only what
 * has changed meanwhile is written, and the times of all other files are as a build tool has seen them. One that is not
 * exactly as if it were new is thrown away.
 */
export class WorkspacePool {
  readonly #store: Store;
  #root: string | undefined;
  #count = 0;
  /** The one used last at the end. */
  readonly #kept: Array<Pick<Lease, 'agent' | 'checkout'>> = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** @param agent whose the files are, for all calls the same */
  async take(agent: string, own: Tree, mounted: Tree, owner: Owner | undefined, signal: AbortSignal): Promise<Lease> {
    const before = await this.#keptFor(agent, signal);
    const place = before === undefined ? join(await this.#rootFolder(), String(++this.#count)) : placeOf(before);
    const [folder, scratch] = [join(place, 'workspace'), join(place, 'scratch')];
    try {
      await discard(scratch);
      for (const each of [folder, scratch]) mkdirSync(each, { recursive: true });
      const made = await checkout(this.#store, folder, own, mounted, { before: before?.own, owner });
      return { agent, checkout: made, scratch };
    } catch (error) {
      await discard(place);
      throw error;
    }
  }

  async snapshot(lease: Lease, signal: AbortSignal): Promise<Snapshot> {
    return (lease.after = await snapshot(this.#store, lease.checkout, signal));
  }

  async giveBack({ after, agent, checkout: made }: Lease): Promise<void> {
    const bytes = [...(after?.checkout.own.values() ?? [])].reduce((sum, file) => sum + file.bytes, 0);
    if (after?.isExact !== true || bytes > maxBytes || this.#root === undefined) return discard(placeOf(made));
    // They are others for the next call, or may have been changed.
    for (const each of made.mounts) await discard(join(made.folder, each));
    this.#kept.push({ agent, checkout: { ...after.checkout, mounts: [] } });
    const oldest = this.#kept.length > maxKept ? this.#kept.shift() : undefined;
    if (oldest !== undefined) await discard(placeOf(oldest.checkout));
  }

  async close(): Promise<void> {
    const root = this.#root;
    this.#root = undefined;
    if (root !== undefined) await discard(root);
  }

  /** The folder that is kept for an agent, if nothing has changed it since. */
  async #keptFor(agent: string, signal: AbortSignal): Promise<Checkout | undefined> {
    const index = this.#kept.findIndex((each) => each.agent === agent);
    const [found] = index === -1 ? [] : this.#kept.splice(index, 1);
    if (found === undefined) return undefined;
    try {
      const { checkout: now, isExact } = await snapshot(this.#store, found.checkout, signal);
      const { own } = found.checkout;
      const isSame = now.own.size === own.size && [...own].every(([path, file]) => isSameFile(now.own.get(path), file));
      if (isExact && isSame) return now;
    } catch {
      // It is thrown away.
    }
    await discard(placeOf(found.checkout));
    signal.throwIfAborted();
    return undefined;
  }

  async #rootFolder(): Promise<string> {
    if (this.#root !== undefined) return this.#root;
    await removeLeftovers();
    return (this.#root ??= mkdtempSync(join(temporary(), `${prefix}${process.pid}-`)));
  }
}

const prefix = `reprise-commands-${hostname()}-`;

/** Without links on the way, through which nothing is read. */
const temporary = (): string => realpathSync(tmpdir());

const placeOf = ({ folder }: Checkout): string => dirname(folder);

async function removeLeftovers(): Promise<void> {
  const names = readdirSync(temporary()).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    const pid = Number(name.slice(prefix.length).split('-')[0]);
    if (!(pid > 0) || isAlive(pid)) continue;
    const folder = join(temporary(), name);
    await endThoseIn(folder);
    await discard(folder);
  }
}

/** Commands may make folders that nobody may enter, and more of them in one another than a path can name. */
async function discard(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    const run = promisify(execFile);
    // No link is followed: what it leads to is not the command's.
    await run('find', ['-P', folder, '-type', 'd', '-exec', 'chmod', 'u+rwx', '{}', ';']).catch(() => {});
    // What belongs to another user stays, and so do its folders.
    await run('rm', ['-rf', '--', folder]).catch(() => {});
  }
}
