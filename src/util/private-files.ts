import { randomUUID } from 'node:crypto';
import { chmodSync, closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from './folders.ts';

/** The permissions of all that is in a home folder: nobody but its user may read it, write it or look into it. */
export const privateMode = { folder: 0o700, file: 0o600 } as const;

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

/** Writes a file of a home atomically: processes that read or write it at the same time never find half of it. */
export function writeAtomic(path: string, text: string): void {
  privateFolder(dirname(path));
  const part = `${path}.${process.pid}`;
  writeFileSync(part, text, { mode: privateMode.file });
  renameSync(part, path);
}

/**
 * A secret text in a file of a private folder, which whoever needs it first makes. It is written under another name first, so
 * that nobody ever finds the file without it, and of several processes one makes it and all get the same.
 */
export function madeOnce(folder: string, name: string, make: () => string): string {
  const file = join(folder, name);
  const found = read(file) ?? made(folder, file, make);
  // Files that are copied often come out readable for everybody.
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, privateMode.file);
  return found;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

function made(folder: string, file: string, make: () => string): string {
  privateFolder(folder);
  const part = `${file}.${randomUUID()}`;
  writeFileSync(part, make(), { mode: privateMode.file, flag: 'wx' });
  try {
    linkSync(part, file);
  } catch (error) {
    // Another process has been quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(part, { force: true });
  }
  return readFileSync(file, 'utf8').trim();
}
