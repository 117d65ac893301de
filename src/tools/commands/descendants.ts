import { readdir, readFile, readlink } from 'node:fs/promises';

/** A process of this machine. Its number may be used again, by one that has started later. */
interface Process {
  pid: number;
  parent: number;
  group: number;
  /** In ticks since the machine has started. */
  startedAt: string;
  /** The memory that it takes, in bytes. */
  memory: number;
}

const pageBytes = 4096;

/** The processes that a command has started, as far as Linux's `/proc` tells (proc(5)); empty on other systems. */
export class Descendants {
  readonly #root: number;
  readonly #mark: string | undefined;
  /** Those that were seen, since one whose parent has ended cannot be told from others. */
  readonly #seen = new Map<number, string>();

  /** @param mark what each of them has in its environment, unless it has thrown that away; absent if parents tell all */
  constructor(root: number, mark?: string) {
    this.#root = root;
    this.#mark = mark;
  }

  /** Looks for them. @returns those that live */
  async find(): Promise<Process[]> {
    const all = await processes();
    const found = new Set<number>();
    const children = Map.groupBy(all, ({ parent }) => parent);
    const add = (each: Process): void => {
      if (found.has(each.pid)) return;
      found.add(each.pid);
      for (const child of children.get(each.pid) ?? []) add(child);
    };
    for (const each of all) {
      const isSeen = this.#seen.get(each.pid) === each.startedAt;
      if (each.pid === this.#root || each.group === this.#root || isSeen) add(each);
    }
    if (this.#mark !== undefined) {
      for (const each of all) if (!found.has(each.pid) && (await isMarked(each.pid, this.#mark))) add(each);
    }
    const living = all.filter(({ pid }) => found.has(pid));
    for (const { pid, startedAt } of living) this.#seen.set(pid, startedAt);
    return living;
  }

  /** Ends all of them, and those that they start meanwhile. */
  async end(): Promise<void> {
    // Once the first one has ended, its children cannot be told from others.
    await this.find();
    kill(-this.#root);
    for (let round = 0; round < mostRounds; round++) {
      const living = await this.find();
      if (living.length === 0) return;
      // First none of them may start another one.
      for (const { pid } of living) kill(pid, 'SIGSTOP');
      for (const { pid } of living) kill(pid);
    }
  }
}

const mostRounds = 50;

/** Ends every process whose working folder is in a folder. */
export async function endThoseIn(folder: string): Promise<void> {
  for (const { pid } of await processes()) {
    const place = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    if (pid !== process.pid && place.startsWith(`${folder}/`)) kill(pid);
  }
}

/** @param pid negative for a group */
function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or belongs to somebody else.
  }
}

async function isMarked(pid: number, mark: string): Promise<boolean> {
  return readFile(`/proc/${pid}/environ`, 'utf8').then(
    (text) => text.includes(mark),
    () => false,
  );
}

/** How many processes are read at a time: a command may start thousands, and the worker has other things to do meanwhile. */
const atOnce = 100;

async function processes(): Promise<Process[]> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const all: Process[] = [];
  for (let at = 0; at < names.length; at += atOnce) {
    const some = await Promise.all(names.slice(at, at + atOnce).map(processOf));
    all.push(...some.filter((each) => each !== undefined));
  }
  return all;
}

async function processOf(name: string): Promise<Process | undefined> {
  const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
  // The name of the program may have spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  // One that has ended waits only for its parent to ask for it.
  if (group === undefined || state === 'Z' || state === 'X') return undefined;
  return {
    pid: Number(name),
    parent: Number(parent),
    group: Number(group),
    startedAt: fields[19] ?? '',
    memory: Number(fields[21] ?? 0) * pageBytes,
  };
}
