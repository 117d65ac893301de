/** A file that the code finds. `readOnly` is only a word of advice to it. */
export interface GivenFile {
  path: string;
  bytes: Uint8Array;
  mode: 'file' | 'executable' | 'readOnly';
}

/** What a worker's process says to a process of Python, which answers with `FromPython`. */
export type ToPython =
  /** Files that the code finds. Several of these come before the code. */
  | { files: GivenFile[] }
  /** What is run. Nothing comes after it. */
  | { code: string };

/** What the thread of a process of Python starts with. */
export interface Interpreter {
  /** The modules of Pyodide by name, as text. */
  modules: Record<string, string>;
  /** Its other files by name. */
  parts: Record<string, Uint8Array<ArrayBuffer>>;
  /** Its list of packages, as text. */
  lock: string;
  /** Wheels from which packages may be imported, by name. */
  wheels: Record<string, Uint8Array>;
  /** The memory of an interpreter that has been loaded before. */
  snapshot?: Uint8Array<ArrayBuffer>;
}
