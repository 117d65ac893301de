import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isAlive } from '../../util/processes.ts';
import type { Store } from '../../store/store.ts';
import {
  changeFolder,
  collect,
  makeFolder,
  type CollectedFolder,
  type MadeFolder,
  type Owner,
} from '../workspaces/folder.ts';
import type { Trees } from '../workspaces/tree.ts';
import { endThoseIn } from './descendants.ts';
import type { Tree } from '../workspace.ts';

/** How many folders are kept between calls, and with how many bytes of files together. */
const mostKept = 8;
const mostBytes = 2_000_000_000;

/** A folder that has a workspace's files for the time of one call. */
export interface LentFolder {
  made: MadeFolder;
  /** A folder beside it, empty at the beginning. */
  scratch: string;
}

/**
 * Folders of the machine with the files of workspaces. Each is one agent's, and is kept for its next call, so that only what
 * has changed meanwhile is written. One that is not exactly as if it were new is thrown away.
 */
export class KeptFolders {
  readonly #store: Store;
  readonly #trees: Trees;
  #root: string | undefined;
  #count = 0;
  /** By their agents, the one used last at the end. */
  readonly #kept = new Map<string, MadeFolder>();

  constructor(store: Store, trees: Trees) {
    this.#store = store;
    this.#trees = trees;
  }

  /** @param agent whose the files are, for all calls the same */
  async take(
    agent: string,
    own: Tree,
    others: Tree,
    owner: Owner | undefined,
    signal: AbortSignal,
  ): Promise<LentFolder> {
    const kept = this.#kept.get(agent);
    this.#kept.delete(agent);
    const again = kept && (await this.#again(kept, own, others, signal));
    if (again !== undefined) return { made: again, scratch: await scratchOf(again) };
    const place = join(await this.#rootFolder(), String(++this.#count));
    const folder = join(place, 'workspace');
    mkdirSync(folder, { recursive: true });
    try {
      const made = await makeFolder(this.#store, own, others, folder, owner);
      return { made, scratch: await scratchOf(made) };
    } catch (error) {
      await discard(place);
      throw error;
    }
  }

  /** Reads a folder back after a call. */
  collect({ made }: LentFolder, signal: AbortSignal): Promise<CollectedFolder> {
    return collect(this.#store, this.#trees, made, { signal });
  }

  /** Ends the use of a folder. @param collected absent if it may hold anything */
  async giveBack(agent: string, { made }: LentFolder, collected?: CollectedFolder): Promise<void> {
    if (collected?.isExact !== true || this.#root === undefined) return discard(placeOf(made));
    const earlier = this.#kept.get(agent);
    this.#kept.set(agent, collected.made);
    if (earlier !== undefined) await discard(placeOf(earlier));
    for (const [oldest, each] of this.#kept) {
      if (this.#kept.size <= mostKept && sizeOf([...this.#kept.values()]) <= mostBytes) return;
      this.#kept.delete(oldest);
      await discard(placeOf(each));
    }
  }

  /** Removes all of them. */
  async close(): Promise<void> {
    const root = this.#root;
    this.#root = undefined;
    this.#kept.clear();
    if (root !== undefined) await discard(root);
  }

  async #again(kept: MadeFolder, own: Tree, others: Tree, signal: AbortSignal): Promise<MadeFolder | undefined> {
    try {
      // Something may have changed it since.
      const now = isSame(kept.mounted, others) ? await collect(this.#store, this.#trees, kept, { signal }) : undefined;
      if (now?.isExact === true && isSame(now.made.own, kept.own))
        return await changeFolder(this.#store, now.made, own);
    } catch {
      signal.throwIfAborted();
    }
    await discard(placeOf(kept));
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

const placeOf = ({ folder }: MadeFolder): string => join(folder, '..');

async function scratchOf(made: MadeFolder): Promise<string> {
  const scratch = join(placeOf(made), 'scratch');
  if (existsSync(scratch)) await discard(scratch);
  mkdirSync(scratch);
  return scratch;
}

function isSame(one: Tree, other: Tree): boolean {
  if (one.size !== other.size) return false;
  return [...one].every(([path, { id, mode }]) => {
    const file = other.get(path);
    return file?.id === id && file.mode === mode;
  });
}

const sizeOf = (folders: MadeFolder[]): number =>
  folders.reduce((all, { own }) => all + [...own.values()].reduce((sum, { bytes }) => sum + bytes, 0), 0);

/** Removes the folders of workers of this machine that have died, and ends what still runs there. */
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

/**
 * Removes a folder, whatever a command has made of it: folders that nobody may enter, and more of them in one another than a
 * path can name.
 */
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
