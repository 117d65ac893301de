import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, where they are missing. Node's own `recursive` never returns where the system says
 * of a folder in one that is there that there is no such place, as in /proc or where homes are mounted on demand.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const isFolder = (): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder()) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isFolder()) throw error;
  }
}
