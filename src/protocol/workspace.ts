/** An agent's files as a tool call gets them. The files themselves are in the store. */
export interface WorkspaceInput {
  /** The id of the tree that the call starts from; null for one without files. */
  tree: string | null;
  /** What the agent sees besides, and cannot change. */
  mounts: Mount[];
}

/** A tree that stands in a folder of another one. */
export interface Mount {
  /** The folder, such as `temp_workspaces/agent2`. */
  path: string;
  tree: string;
}
