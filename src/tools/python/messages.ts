import type { FileMode } from '../workspace.ts';

/** What a worker's process and a process of Python say to each other. The worker believes nothing of what it is told. */

/** A file on its way to Python or back. The content of a `link` is the path that it leads to. */
export interface PythonFile {
  /** From the folder in which the code runs. */
  path: string;
  bytes: Uint8Array;
  mode: FileMode;
}

/** A file that the code finds. `readOnly` is only a word of advice to it. */
export interface GivenFile {
  path: string;
  bytes: Uint8Array;
  mode: 'file' | 'executable' | 'readOnly';
}

export type ToPython =
  /** Files that the code finds. Several of these come before the code. */
  | { files: GivenFile[] }
  /** What is run. Nothing comes after it. */
  | { code: string };

export type FromPython =
  /** The memory of an interpreter that was loaded without one. */
  | { snapshot: Uint8Array }
  /** Python is loaded, and the code begins. */
  | { begun: true }
  /** More of what the code prints. */
  | { output: Uint8Array }
  /** Files that are new or have changed. */
  | { files: PythonFile[] }
  /** The paths of files that are gone, and why others are not kept, a line for each. */
  | { gone: string[]; notes: string[] }
  /** The end. `problem`: the traceback, or why there is none. */
  | { end: 'done' }
  | { end: 'raised' | 'broken'; problem: string };

/** What the thread of a process of Python starts with. */
export interface Interpreter {
  /** The modules of Pyodide by name, as text. */
  modules: Record<string, string>;
  /** Its other files by name. */
  parts: Record<string, Uint8Array>;
  /** Its list of packages, as text. */
  lock: string;
  /** Wheels from which packages may be imported, by name. */
  wheels: Record<string, Uint8Array>;
  /** The memory of an interpreter that has been loaded before. */
  snapshot?: Uint8Array;
}
