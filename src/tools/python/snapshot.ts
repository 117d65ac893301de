import { randomUUID } from 'node:crypto';
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../../util/cache-folder.ts';

/** The folder of Pyodide. */
export const pyodideFolder = dirname(createRequire(import.meta.url).resolve('pyodide/package.json'));

/**
 * Where the memory of an interpreter is that had just been loaded, with which the next one starts in a quarter of the time.
 * It fits one version of Pyodide, and depends on what WebAssembly can do in this version of Node.
 */
function place(): string {
  const { version } = createRequire(import.meta.url)('pyodide/package.json') as { version: string };
  return join(cacheFolder(), `python-${version}-node-${process.versions.node}.snapshot`);
}

/** The file with it; undefined if there is none yet. */
export async function snapshotFile(): Promise<string | undefined> {
  const path = place();
  return access(path).then(
    () => path,
    () => undefined,
  );
}

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
