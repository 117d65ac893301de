import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../util/processes.ts';
import { hashOf } from '../../util/ids.ts';

const ownerFile = 'owner';

/** A session has the same path in each turn: caches hold what stays the same, and the conversation is full of it. */
export class TempHome {
  /** The agent's files; not made yet. */
  readonly workspace: string;
  /** Claude Code's own folder (`CLAUDE_CONFIG_DIR`). */
  readonly config: string;
  readonly home: string;
  readonly temporary: string;
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
    this.workspace = join(root, 'workspace');
    this.config = join(root, 'config');
    this.home = join(root, 'home');
    this.temporary = join(root, 'tmp');
  }

  /**
   * Removes what dead workers have left behind. Where another one is still at it, such as a worker that stalls, the
   * place is one beside it.
   * @throws `Error` if the folder of all places is not this user's alone
   */
  static async take(session: string): Promise<TempHome> {
    const base = baseFolder();
    for (const name of readdirSync(base)) if (!hasOwner(join(base, name))) await remove(join(base, name));
    for (let number = 1; ; number++) {
      const root = join(base, number === 1 ? session : `${session}-${number}`);
      if (!isMade(root)) continue;
      writeFileSync(join(root, ownerFile), String(process.pid));
      const place = new TempHome(root);
      for (const folder of [place.config, place.home, place.temporary]) mkdirSync(folder);
      return place;
    }
  }

  async leave(): Promise<void> {
    await remove(this.#root);
  }
}

/** The folder of all places, which other users of the machine can neither read nor have made. */
function baseFolder(): string {
  const { uid, username } = userInfo();
  const user = uid >= 0 ? uid : hashOf(username).slice(0, 8);
  const base = join(tmpdir(), `reprise-claude-code-${user}`);
  mkdirSync(base, { recursive: true, mode: 0o700 });
  const stats = lstatSync(base);
  if (!stats.isDirectory() || (uid >= 0 && (stats.uid !== uid || (stats.mode & 0o077) !== 0)))
    throw new Error(`${base} is no folder of this user's alone: remove it`);
  return base;
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** One that has no owner yet was made at this moment. */
function hasOwner(root: string): boolean {
  try {
    const pid = Number(readFileSync(join(root, ownerFile), 'utf8'));
    return pid === 0 || isAlive(pid);
  } catch {
    return true;
  }
}

/** Something that is just being ended may write in it still. */
const remove = (root: string): Promise<void> => rm(root, { recursive: true, force: true, maxRetries: 5 });
