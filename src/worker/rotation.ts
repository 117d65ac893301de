import { randomBytes } from 'node:crypto';
import { copyFileSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join, parse } from 'node:path';

/** How long a log file may become, in bytes, and how many there are of it, the one that is written to included. */
export const logLimits = { bytes: 10_000_000, files: 5 };

/** Such as `log-2026-01-18T17-09-44-123Z-9f3a2c1b.txt`, never the same one: several processes may need one at one moment. */
export function nameOfFull(file: string, time: Date): string {
  const { name, ext } = parse(file);
  return `${name}-${time.toISOString().replaceAll(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}${ext}`;
}

const stamped = /-\d{4}-\d\d-\d\dT[\d-]+Z-[\da-f]{8}$/;

/** Removes the oldest of the full files of a log. @param file its name, as in `log.txt` */
export function removeOldest(folder: string, file: string, kept: number): void {
  const { name, ext } = parse(file);
  const full = readdirSync(folder).filter((each) => {
    const found = parse(each);
    return found.ext === ext && stamped.test(found.name) && found.name.replace(stamped, '') === name;
  });
  for (const each of full.toSorted().slice(0, -kept)) rmSync(join(folder, each), { force: true });
}

/**
 * Empties the files of a folder that end with `.log` and are full, after copying each to a file of its own. These logs belong to
 * processes that were given the open file, append to it and would not notice that it is renamed. What one of them writes between
 * copying and emptying is lost.
 */
export function emptyFullLogs(folder: string, { bytes, files } = logLimits): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.log') || stamped.test(parse(name).name)) continue;
    const file = join(folder, name);
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < bytes) continue;
    copyFileSync(file, join(folder, nameOfFull(name, new Date())));
    truncateSync(file);
    removeOldest(folder, name, files - 1);
  }
}

export function keepLogsShort(folder: string): void {
  setInterval(() => {
    try {
      emptyFullLogs(folder);
    } catch {
      // The disk is full, or the folder is away: the next look tries again.
    }
  }, 5000).unref();
}
