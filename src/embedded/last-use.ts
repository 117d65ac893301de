import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileOf = (home: string): string => join(home, 'last-use');

/** Notes that a command is using a home folder's server, which keeps a background `up` from ending. */
export function noteUse(home: string): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(fileOf(home), '');
}

/** When a command last used it, in milliseconds since the epoch; 0: never. */
export function lastUse(home: string): number {
  return statSync(fileOf(home), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
