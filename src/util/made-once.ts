import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { privateFolder, privateMode } from './private-files.ts';

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
