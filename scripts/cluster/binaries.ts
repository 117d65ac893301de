import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../src/util/cache-folder.ts';

/** Version of the Go module of Temporal's own server. */
const version = 'v1.32.0';

/** The programs by the names of their files, which Go takes from their packages. */
const packages = {
  server: 'go.temporal.io/server/cmd/server',
  sql: 'go.temporal.io/server/cmd/tools/sql',
};

export interface Binaries {
  /** Path of Temporal's own server. */
  server: string;
  /** Path of its tool that sets up the schema of a database. */
  sql: string;
}

/**
 * Finds Temporal's own server and its tool in the user's cache folder, and builds them where they are missing, which takes
 * some minutes.
 *
 * @throws `Error` where there is no Go, or where it cannot build them
 */
export function temporalBinaries(say: (text: string) => void): Binaries {
  const folder = join(cacheFolder(), 'bin');
  return { server: binary(folder, 'server', say), sql: binary(folder, 'sql', say) };
}

function binary(folder: string, name: keyof typeof packages, say: (text: string) => void): string {
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const module = `${packages[name]}@${version}`;
  say(`Building ${module} into ${folder} (once; the server takes some minutes) …`);
  mkdirSync(folder, { recursive: true });
  const { error, status } = spawnSync('go', ['install', module], {
    env: { ...process.env, GOBIN: folder },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined) throw new Error(`Temporal's server is built by Go, which cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`${module} cannot be built: see above`);
  return path;
}
