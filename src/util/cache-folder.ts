import { getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

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
