import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { cacheFolder } from '../../src/util/folders.ts';

/** The Go module of Temporal's own server. */
export const temporalModule = 'go.temporal.io/server@v1.32.0';

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
  const [module, version] = temporalModule.split('@');
  return {
    server: builtByGo('server', `${module}/cmd/server@${version}`, say),
    sql: builtByGo('sql', `${module}/cmd/tools/sql@${version}`, say),
  };
}

/**
 * Finds a program in the user's cache folder, and has Go build it where it is missing. It needs no library of the machine.
 *
 * @param name of its file
 * @param named the package with its module's version
 * @throws `Error` where there is no Go, or where it cannot build it
 */
export function builtByGo(name: string, named: string, say: (text: string) => void): string {
  const folder = join(cacheFolder(), 'bin');
  const path = join(folder, name);
  if (existsSync(path)) return path;
  say(`Building ${named} into ${folder} (once; some take minutes) …`);
  mkdirSync(folder, { recursive: true });
  // Go calls each program as its folder is called, and many are called "server".
  const scratch = mkdtempSync(join(folder, 'new-'));
  go(['install', named], { GOBIN: scratch });
  renameSync(join(scratch, basename(named.split('@')[0] ?? '')), path);
  rmSync(scratch, { recursive: true });
  return path;
}

/** Runs Go, and shows what it says. @throws `Error` where there is none, or where it fails */
export function go(words: string[], variables: Record<string, string> = {}, cwd = tmpdir()): void {
  const { error, status } = spawnSync('go', words, {
    cwd,
    env: { ...process.env, CGO_ENABLED: '0', ...variables },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error !== undefined) throw new Error(`Go is needed, and cannot be run: ${error.message}`);
  if (status !== 0) throw new Error(`go ${words.join(' ')} has failed: see above`);
}

/** The folder with a Go module's files, which Go fetches. @param named the module with its version */
export function moduleFolder(named: string): string {
  const said = execFileSync('go', ['mod', 'download', '-json', named], { cwd: tmpdir(), encoding: 'utf8' });
  return (JSON.parse(said) as { Dir: string }).Dir;
}
