import { childrenOf, environmentHas, folderOf, linuxProcesses, sendSignal } from '../../util/processes.ts';
import type { LinuxProcess } from '../../util/processes.ts';

/** The processes that a command has started, as far as Linux tells; empty on other systems. */
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

  async find(): Promise<LinuxProcess[]> {
    const all = await linuxProcesses();
    const found = new Set<number>();
    const children = Map.groupBy(all, ({ parent }) => parent);
    const add = (each: LinuxProcess): void => {
      if (found.has(each.pid)) return;
      found.add(each.pid);
      for (const child of children.get(each.pid) ?? []) add(child);
    };
    for (const each of all) {
      const isSeen = this.#seen.get(each.pid) === each.startedAt;
      if (each.pid === this.#root || each.group === this.#root || isSeen) add(each);
    }
    if (this.#mark !== undefined) {
      for (const each of all) if (!found.has(each.pid) && (await environmentHas(each.pid, this.#mark))) add(each);
    }
    const living = all.filter(({ pid }) => found.has(pid));
    for (const { pid, startedAt } of living) this.#seen.set(pid, startedAt);
    return living;
  }

  /** Ends all of them, and those that they start meanwhile. */
  async end(): Promise<void> {
    // Once the first one has ended, its children cannot be told from others. In a namespace it has one child, with which all
    // others end, and looking for the thousands of a bomb would give it the time to make more.
    const inner = this.#mark === undefined ? childrenOf(this.#root) : undefined;
    if (inner === undefined) await this.find();
    for (const { pid, startedAt } of inner ?? []) {
      this.#seen.set(pid, startedAt);
      // It may have left the group.
      sendSignal(pid, 'SIGKILL');
    }
    sendSignal(-this.#root, 'SIGKILL');
    const until = Date.now() + longestMs;
    while (Date.now() < until) {
      const living = await this.find();
      if (living.length === 0) return;
      // First none of them may start another one.
      for (const { pid } of living) sendSignal(pid, 'SIGSTOP');
      for (const { pid } of living) sendSignal(pid, 'SIGKILL');
    }
  }
}

/** How long ending them is tried, in milliseconds. The system takes seconds to end thousands. */
const longestMs = 30_000;

export async function endThoseIn(folder: string): Promise<void> {
  for (const { pid } of await linuxProcesses()) {
    if (pid !== process.pid && (await folderOf(pid)).startsWith(`${folder}/`)) sendSignal(pid, 'SIGKILL');
  }
}
