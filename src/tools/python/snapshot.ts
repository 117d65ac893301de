import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../../util/cache-folder.ts';

const require = createRequire(import.meta.url);

/** The folder of Pyodide. */
export const pyodideFolder = dirname(require.resolve('pyodide/package.json'));

/**
 * Where the memory of an interpreter is that had just been loaded, with which the next one starts in a quarter of the time.
 * It fits one version of Pyodide, and depends on what WebAssembly can do in this version of Node.
 */
function place(): string {
  const { version } = require('pyodide/package.json') as { version: string };
  return join(cacheFolder(), `python-${version}-node-${process.versions.node}.snapshot`);
}

/** The file with it; undefined if there is none yet. */
export const snapshotFile = (): string | undefined => (existsSync(place()) ? place() : undefined);

/** Keeps it for the next runs, of all processes of this user. Without it they only take longer to start. */
export async function saveSnapshot(bytes: Uint8Array): Promise<void> {
  const path = place();
  // Two runs of this process may save theirs at the same time.
  const part = `${path}.${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(part, bytes, { mode: 0o600 });
    await rename(part, path);
  } catch {
    await rm(part, { force: true }).catch(() => {});
  }
}

/** Removes one with which Python does not start. */
export const forgetSnapshot = async (): Promise<void> => rm(place(), { force: true }).catch(() => {});
