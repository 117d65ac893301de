import { mkdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';

/** Whether there is a folder; a link to one is one. */
export const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * Makes a folder and those above it, where they are missing. Node's own `recursive` never returns where the system says
 * of a folder in one that is there that there is no such place, as in /proc or where homes are mounted on demand.
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}

/** Whether a path is a folder itself or something in it. Links are not followed. */
export function isIn(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Where this user's clones and packages keep what all of them need: `$XDG_CACHE_HOME/reprise`, or the system's place. */
export function cacheFolder(variables = process.env): string {
  const base =
    variables['XDG_CACHE_HOME'] ||
    { darwin: join(homedir(), 'Library', 'Caches'), win32: variables['LOCALAPPDATA'] }[process.platform as string] ||
    join(homedir(), '.cache');
  return join(base, 'reprise');
}

/** Where this process keeps what Node has compiled, as it can be named to others; undefined if it keeps nothing. */
export function compiledFolder(): string | undefined {
  const folder = getCompileCacheDir();
  // Node puts a folder for its version below the one that it is given.
  return folder === undefined ? undefined : dirname(folder);
}
