import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FromPythonReader } from '../../../src/tools/python/reader.ts';
import { pyodideFolder, runPython } from '../../../src/tools/python/run.ts';
import { Semaphore } from '../../../src/util/semaphore.ts';

const none = async function* () {};
const endless = { code: 'while True: pass', seconds: 600, files: none, wheels: [] };

/** The processes of Python that a process has started, by id. */
function pythonsOf(parent: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const rows = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []);
  return rows.flatMap(([, pid, ppid, args]) =>
    Number(ppid) === parent && args?.includes('/python/process.') ? [Number(pid)] : [],
  );
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    await wait(50);
  }
}

describe('a process of Python ends', () => {
  test('with the signal of its run, at once', async () => {
    const control = new AbortController();
    const run = runPython(endless, control.signal);
    const pid = await until(() => pythonsOf(process.pid)[0]);
    control.abort(new Error('no longer needed'));
    await expect(run).rejects.toThrow('no longer needed');
    await until(() => !isAlive(pid));
    await expect(runPython(endless, control.signal)).rejects.toThrow('no longer needed');
    await until(() => pythonsOf(process.pid).length === 0);
  });

  test('when the process that has started it is killed', async () => {
    const host = spawn(process.execPath, [fileURLToPath(new URL('./host.ts', import.meta.url)), endless.code]);
    const pid = await until(() => pythonsOf(host.pid ?? 0)[0]);
    // Its program is under way by then, mostly; before that it must end as well.
    await wait(1000);
    host.kill('SIGKILL');
    await once(host, 'exit');
    await until(() => !isAlive(pid));
  });

  test('by itself when something else has killed it, which is a problem of the run', async () => {
    const run = runPython(endless, AbortSignal.timeout(300_000));
    process.kill(await until(() => pythonsOf(process.pid)[0]), 'SIGKILL');
    expect((await run).problem).toEqual({ kind: 'broken', text: 'Python ended by itself' });
  });
});

test('permits are given in order, as many at the same time as there are, and not to those who have gone', async () => {
  const semaphore = new Semaphore(2);
  const begun: string[] = [];
  const { signal } = new AbortController();
  const take = async (name: string, given = signal) => {
    const over = await semaphore.acquire(given);
    begun.push(name);
    return over;
  };
  const [first, second] = [await take('one'), await take('two')];
  const control = new AbortController();
  const [third, gone, fourth] = [take('three'), take('gone', control.signal), take('four')];
  control.abort(new Error('gone'));
  await expect(gone).rejects.toThrow('gone');
  expect(begun).toEqual(['one', 'two']);
  first();
  (await third)();
  await fourth;
  second();
  expect(begun).toEqual(['one', 'two', 'three', 'four']);
  await expect(take('late', control.signal)).rejects.toThrow('gone');
});

describe('the snapshot of a loaded interpreter', () => {
  const cache = mkdtempSync(join(tmpdir(), 'reprise-cache-'));
  const folder = join(cache, 'reprise');
  beforeEach(() => vi.stubEnv('XDG_CACHE_HOME', cache));
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(cache, { recursive: true, force: true });
  });
  const { version: pyodide } = JSON.parse(readFileSync(join(pyodideFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  const sum = { code: 'import random\n40 + 2', seconds: 60, files: none, wheels: [] };
  const run = async () => (await runPython(sum, AbortSignal.timeout(300_000))).output;
  // It is written under another name first, and a listing made while it gets its own may name both.
  const snapshot = (atLeast: number) =>
    vi.waitFor(
      () => {
        const [name = '', ...others] = readdirSync(folder);
        expect([name, ...others]).toEqual([expect.stringMatching(/\.snapshot$/u)]);
        const { mtimeMs, size } = statSync(join(folder, name));
        expect(size).toBeGreaterThan(atLeast);
        return { mtimeMs };
      },
      { timeout: 180_000 },
    );

  test('is kept by a run that has started without, since there is none that Python starts with, and used by the next ones', async () => {
    mkdirSync(folder, { recursive: true });
    const name = `python-${pyodide}-node-${process.versions.node}.snapshot`;
    writeFileSync(join(folder, name), Buffer.alloc(20_000_000));
    expect(await run()).toBe('42\n');
    const { mtimeMs } = await snapshot(20_000_000);
    expect(await run()).toBe('42\n');
    expect((await snapshot(20_000_000)).mtimeMs).toBe(mtimeMs);
  });

  test('is not missed where there is none, and none can be written', async () => {
    mkdirSync(cache, { recursive: true });
    writeFileSync(folder, 'a file');
    expect(await run()).toBe('42\n');
  });
});

describe('what a process of Python says', () => {
  test.for([
    ['nothing of the sort', 'hello'],
    ['a file with no bytes', { files: [{ path: 'a', bytes: 'text', mode: 'file' }] }],
    ['a file of another kind', { files: [{ path: 'a', bytes: new Uint8Array(1), mode: 'device' }] }],
    ['more bytes than are taken', { files: [{ path: 'a', bytes: new Uint8Array(260_000_000), mode: 'file' }] }],
  ])('%s is not believed', ([, message]) => {
    const reader = new FromPythonReader();
    reader.take(message);
    reader.take({ end: 'done' });
    expect(reader.result().problem?.kind).toBe('broken');
  });

  test('counts no more once it has ended, and no snapshot once code of others has begun', () => {
    const reader = new FromPythonReader();
    reader.take({ begun: true });
    expect(reader.take({ snapshot: new Uint8Array(1) })).toBeUndefined();
    reader.take({ end: 'done' });
    reader.take({ output: 'late' });
    expect(reader.result()).toEqual({ output: '', files: [], gone: [], notes: [] });
  });
});
