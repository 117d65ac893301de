/** `link`: the content is the path that it points to, relative to its folder. */
export type FileMode = 'file' | 'executable' | 'link';

export interface TreeFile {
  /** The object id of its content. */
  id: string;
  bytes: number;
  mode: FileMode;
}

/** Files by their paths. Folders are what paths say; there are no empty ones. */
export type Tree = ReadonlyMap<string, TreeFile>;

export interface WorkspaceFile {
  path: string;
  bytes: number;
  executable: boolean;
  readOnly: boolean;
}

/**
 * An agent's files during one tool call: a tree from the store, what the call has changed in it, and besides what the agent
 * may only read. No file of the machine is behind a path, so that nothing outside can be reached by one.
 */
export interface Workspace {
  /** All files, sorted by path. */
  files(): WorkspaceFile[];
  /** All files by their paths, for what needs them in a folder of the machine. Those of `write` are stored by `commit`. */
  trees(): { own: Tree; others: Tree };
  /** Makes the own files others, which are stored and within the limits. Those that mounts hide stay. */
  replace(files: Tree): void;
  /** The content of a file. Links are followed within the workspace. @throws `ToolError` if there is no such file */
  read(path: string): Promise<Uint8Array>;
  /**
   * Makes a file, or replaces its content.
   *
   * @throws `ToolError` for a path that leads out or is read-only, one that is a folder, and what is too large
   */
  write(path: string, content: Uint8Array | string, mode?: FileMode): Promise<void>;
  /** Removes a file, or a folder with all in it. @throws `ToolError` if there is none, or if it is read-only */
  remove(path: string): void;
  /** Moves a file with its mode. A file that is in its new place is replaced. @throws `ToolError` as `read` and `write` do */
  move(from: string, to: string): Promise<void>;
}
