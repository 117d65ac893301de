import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { WorkspaceInput } from '../../../src/protocol/workspace.ts';
import { Commands } from '../../../src/tools/commands/commands.ts';
import { Descendants } from '../../../src/tools/commands/descendants.ts';
import { canKeepTogether, runLocally } from '../../../src/tools/commands/local.ts';
import { Output } from '../../../src/util/output.ts';
import { processes } from '../../../src/util/processes.ts';
import { Trees } from '../../../src/tools/workspaces/tree.ts';
import { StoredWorkspace } from '../../../src/tools/workspaces/workspace.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';

const home = mkdtempSync(join(tmpdir(), 'reprise-commands-test-'));
const store = openSqliteStore(join(home, 'store.sqlite'));
const environment = { REPRISE_ALLOW_COMMANDS: 'local' };
const workers: Commands[] = [];
afterAll(async () => {
  await Promise.all(workers.map((each) => each.close()));
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

function worker(): Commands {
  const commands = new Commands(store, environment);
  workers.push(commands);
  return commands;
}

/** Runs a command over a tree. @returns the tree that it ends in */
async function run(
  commands: Commands,
  command: string,
  tree: string | null,
  mounts: WorkspaceInput['mounts'] = [],
): Promise<string | null> {
  const workspace = await StoredWorkspace.open(store, new Trees(store), { tree, mounts }, 'w');
  const { signal } = new AbortController();
  await commands.run('local', { command, timeout: 60, agent: 'w/a', workspace, signal, onOutput: () => {} });
  const after = await workspace.commit();
  return after === undefined ? tree : after;
}

const steps = [
  'mkdir -p src && printf one > src/a && printf two > b && ln -s src/a link',
  'chmod +x b && mkdir empty && printf more >> src/a',
  '[ -e empty ] && touch found; rm b; mv src moved; ln moved/a second',
  'printf x >> second; chmod 600 moved/a; cat link 2>/dev/null >> out; touch -d 2001-01-01 moved/a',
  'cat moved/a > third; n=$(ls -lR | wc -l); printf $n > lines; odd=$(find . -perm 600); printf "$odd" > odd',
  'truncate -s 0 second; rm -r moved link',
];

test('commands end in the same trees whether a worker has kept the folder or each step is another worker’s', async () => {
  const kept: Array<string | null> = [];
  const fresh: Array<string | null> = [];
  const one = worker();
  for (const step of steps) {
    kept.push(await run(one, step, kept.at(-1) ?? null));
    fresh.push(await run(worker(), step, fresh.at(-1) ?? null));
  }
  expect(kept).toEqual(fresh);
  expect(new Set(kept).size).toBe(steps.length);
});

test('a retry starts from the tree of its call, whatever became of the folder', async () => {
  const commands = worker();
  const start = await run(commands, 'printf 1 > count', null);
  const next = 'printf "$(($(cat count) + 1))" > count';
  const once = await run(commands, next, start);
  expect(await run(commands, next, start)).toBe(once);
});

test('a command finds what it may only read as it is, whatever the one before has done to it', async () => {
  const commands = worker();
  const shown = (await run(worker(), 'printf old > x', null)) ?? '';
  const mounts = [{ path: 'm', tree: shown }];
  const first = await run(commands, 'printf 1 > own; chmod -R u+w m; printf new > m/x; touch m/y', null, mounts);
  const second = await run(commands, 'cat m/x > found; ls m >> found', first, mounts);
  expect(second).toBe(await run(worker(), 'printf 1 > own; printf "oldx\\n" > found', null));
});

test('a build tool that goes by times finds them as they were, beside a file that was changed meanwhile', async () => {
  const commands = worker();
  const built = await run(commands, 'printf 1 > source; sleep 0.1; touch target; sleep 0.1', null);
  const edited = await run(worker(), 'printf 2 > source', built);
  const again = await run(commands, '[ source -nt target ] && touch rebuilt', edited);
  expect([...(await new Trees(store).read(again)).keys()]).toContain('rebuilt');
});

describe.runIf(process.platform === 'linux')('what is left of a worker that has died', () => {
  test('is removed by the next one of this machine: its folders, and what runs in them', async () => {
    const dead = spawnSync('true').pid;
    const folder = mkdtempSync(join(tmpdir(), `reprise-commands-${hostname()}-${dead}-`));
    mkdirSync(join(folder, '1'));
    const child = spawn('sleep', ['1000'], { cwd: join(folder, '1'), stdio: 'ignore' });
    const ended = once(child, 'exit');
    await run(worker(), 'true', null);
    await ended;
    expect(child.signalCode).toBe('SIGKILL');
    expect(existsSync(folder)).toBe(false);
  });

  test('is left alone where the worker lives', async () => {
    const folder = mkdtempSync(join(tmpdir(), `reprise-commands-${hostname()}-${process.pid}-`));
    await run(worker(), 'true', null);
    expect(existsSync(folder)).toBe(true);
    rmSync(folder, { recursive: true });
  });
});

describe.runIf(process.platform === 'linux')('where nothing keeps processes together, they are found', () => {
  test.each([
    ['by their group', 'sleep 1000 & wait'],
    ['by their parents', 'setsid sleep 1000 & wait'],
    ['by what is in their environment', '(setsid sh -c "(sleep 1000 &) &" &); sleep 1000'],
  ])('%s', async (_, command) => {
    const mark = `REPRISE_COMMAND=${randomUUID()}`;
    const [name = '', value = ''] = mark.split('=');
    const child = spawn('/bin/sh', ['-c', command], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, [name]: value },
    });
    const descendants = new Descendants(child.pid ?? 0, mark);
    await expect.poll(async () => (await descendants.find()).length).toBeGreaterThan(1);
    await descendants.end();
    expect(await descendants.find()).toEqual([]);
  });
});

test('one that is together in a namespace ends at once, also where its first process has left the group', async (context) => {
  context.skip(!(await canKeepTogether()), 'this system has no namespaces for users');
  const stop = new AbortController();
  const ended = runLocally({
    command: 'exec setsid setpriv --pdeathsig clear sh -c "echo begun; sleep 98765"',
    folder: home,
    scratch: home,
    timeout: 60,
    signal: stop.signal,
    onOutput: () => stop.abort(),
  });
  await expect(ended).rejects.toThrow('abort');
  expect(processes().filter(({ commandLine }) => commandLine === 'sleep 98765')).toEqual([]);
});

describe('an output', () => {
  test('is kept whole, also where a part ends within a character', () => {
    const output = new Output();
    const bytes = Buffer.from('aé😀b');
    for (const byte of bytes) output.add('stdout', Buffer.of(byte));
    expect(output.text()).toBe('aé😀b');
    expect(output.bytes).toBe(bytes.length);
  });

  test('that is too long loses its middle, and says so', () => {
    const output = new Output();
    for (let part = 0; part < 300; part++) output.add('stdout', Buffer.from(`${part}:`.padEnd(10_000, '.')));
    const text = output.text();
    expect(text.length).toBeLessThan(1_000_000);
    expect(text).toMatch(/^0:/);
    expect(text).toContain('[… 2,100,000 characters were left out here]');
    expect(text).toContain('\n260:');
    expect(output.tail(10_000)).toMatch(/^299:/);
  });
});
