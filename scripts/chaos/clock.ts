import { existsSync, globSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** How a worker's clock is put forward and back while it runs. */
export interface Clock {
  /** What it is, for the verdict. */
  name: string;
  variables: Record<string, string>;
  nodeWords: string[];
  /** @param seconds by which the clock is wrong from now on */
  set(seconds: number): void;
}

const libraries = process.env['LIBFAKETIME'] ?? '/usr/lib/*/faketime/libfaketimeMT.so.1';

/**
 * The clock of a worker: the system's as libfaketime changes it, for all of the process; without that library, what `Date` says
 * to JavaScript, while Temporal's native part keeps the true time. Neither changes the time that timers count.
 *
 * @param file that tells the process by how much its clock is wrong
 */
export function clockOf(file: string): Clock {
  const set = (seconds: number): void => writeFileSync(file, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}\n`);
  set(0);
  const library = globSync(libraries).find((path) => existsSync(path));
  if (library === undefined) {
    const module = fileURLToPath(new URL('./wrong-date.ts', import.meta.url));
    return { name: 'Date', variables: { WRONG_DATE_FILE: file }, nodeWords: ['--import', module], set };
  }
  const variables = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  return { name: 'libfaketime', variables, nodeWords: [], set };
}
