import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where downloads are kept for all clones of this user: `$XDG_CACHE_HOME/reprise`, or the system's usual place. */
export function cacheFolder(): string {
  const base =
    process.env['XDG_CACHE_HOME'] ||
    { darwin: join(homedir(), 'Library', 'Caches'), win32: process.env['LOCALAPPDATA'] }[
      process.platform as string
    ] ||
    join(homedir(), '.cache');
  return join(base, 'reprise');
}
