import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where this user's clones and packages keep what all of them need: `$XDG_CACHE_HOME/reprise`, or the system's place. */
export function cacheFolder(variables = process.env): string {
  const base =
    variables['XDG_CACHE_HOME'] ||
    { darwin: join(homedir(), 'Library', 'Caches'), win32: variables['LOCALAPPDATA'] }[process.platform as string] ||
    join(homedir(), '.cache');
  return join(base, 'reprise');
}
