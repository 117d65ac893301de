import type { Text } from './message.ts';

/** An agent's files as a tool call gets them. The files themselves are in the store. */
export interface WorkspaceInput {
  /** The id of the tree that the call starts from; null for one without files. */
  tree: string | null;
  /** What the agent sees besides, and cannot change. */
  mounts: Mount[];
}

export interface Mount {
  /** The folder, such as `temp_workspaces/agent2`. */
  path: string;
  tree: string;
}

/** The built-in packages whose tools work on files of an agent's own. */
const filePackages = ['builtin.workspace', 'builtin.python', 'builtin.command', 'builtin.command.local'];

/** Whether an agent with these packages of tools has a workspace. */
export const worksOnFiles = (packages: readonly string[]): boolean =>
  packages.some((name) => filePackages.includes(name));

/** Where the agents of a team find each other's files if the configuration names no other folder. */
export const defaultTemporaryWorkspace = 'temp_workspaces';

/** In what two trees differ. */
export interface TreeChanges {
  /** How many files were made, changed or removed. */
  count: number;
  /** Their paths, sorted, the first ones if there are many. */
  added: string[];
  changed: string[];
  removed: string[];
}

/** A tree in figures, and in what it differs from another one. */
export interface TreeSummary extends TreeChanges {
  files: number;
  /** Of all files together. */
  bytes: number;
}

export interface ComparedTrees extends TreeSummary {
  /** The changed files, and what was changed in them; absent if that was not asked for, or nothing was. */
  diff?: Text;
}

/** The files that a run has come to. */
export interface RunFiles extends TreeSummary {
  /** The id of their tree in the store; null if there are none. */
  tree: string | null;
}

/** The files of a team's agents as an attempt has left them. */
export interface AttemptFiles {
  attempt: number;
  /** Ids of trees by the ids of agents, null for no files: those of an agent's last answer, else as they were at the end. */
  agents: Record<string, string | null>;
}

/** Folders in the worker's configuration folder, by the ids of the agents whose workspaces they begin. */
export type StartFolders = Record<string, string>;

export interface ImportedFolder {
  /** Null if it has no files, or is not there any more. */
  tree: string | null;
  files: number;
  bytes: number;
  /** What was not taken over, each with the reason: the first ones if there are many, then how many more. */
  leftOut: string[];
}

export interface MergedTree {
  tree: string | null;
  /** The paths on which both sides had worked, the first ones if there are many. */
  conflicts: string[];
}

/** A tree that is written into a folder of its own, and the names that lead there. */
export interface ExportedTree {
  path: string[];
  tree: string | null;
}
