import { closeSync, mkdirSync, openSync } from 'node:fs';

/** The permissions of all that is in a home folder: nobody but its user may read it, write it or look into it. */
export const privateMode = { folder: 0o700, file: 0o600 } as const;

/** Makes a folder of a home, and the home itself, where they are missing. */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: privateMode.folder });
}

/** Makes an empty file where there is none, before a library makes it that knows no permissions. */
export function privateFile(path: string): void {
  closeSync(openSync(path, 'a', privateMode.file));
}
