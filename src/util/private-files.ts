import { closeSync, openSync } from 'node:fs';
import { makeFolder } from './folders.ts';

/** The permissions of all that is in a home folder: nobody but its user may read it, write it or look into it. */
export const privateMode = { folder: 0o700, file: 0o600 } as const;

/** Makes a folder of a home, and the home itself, where they are missing. */
export function privateFolder(path: string): void {
  makeFolder(path, privateMode.folder);
}

/** Makes an empty file where there is none, for a library that would make it for everybody. */
export function privateFile(path: string): void {
  try {
    // One that is there already must not even be opened: to close it would end the locks that this process has on it.
    closeSync(openSync(path, 'wx', privateMode.file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
