import type { Mount, WorkspaceInput } from '../../protocol/workspace.ts';

/** An agent's files, which a workflow knows by the id of their tree. */
export class AgentWorkspace {
  /** The files that it has begun with; null if there were none. */
  readonly start: string | null;
  /** The files as they are now; null if there are none. To be changed between two calls alone. */
  tree: string | null;
  /** Other trees that the agent is shown from its next call on. */
  mounts: Mount[];
  #last: Promise<unknown> = Promise.resolve();

  constructor(tree: string | null = null, mounts: Mount[] = []) {
    this.start = tree;
    this.tree = tree;
    this.mounts = mounts;
  }

  /** The files as a call gets them that only reads them, and is made while no other one is under way. */
  get input(): WorkspaceInput {
    return { tree: this.tree, mounts: this.mounts };
  }

  async settled(): Promise<void> {
    await this.#last.catch(() => {});
  }

  /**
   * Makes a call that gets the files and may change them. Calls follow one another, in the order in which they were asked
   * for: each starts from the tree in which the last one ended.
   */
  use<T extends { tree?: string | null }>(call: (files: WorkspaceInput) => Promise<T>): Promise<T> {
    const turn = async (): Promise<T> => {
      const result = await call(this.input);
      if (result.tree !== undefined) this.tree = result.tree;
      return result;
    };
    const result = this.#last.then(turn, turn);
    this.#last = result;
    return result;
  }
}
