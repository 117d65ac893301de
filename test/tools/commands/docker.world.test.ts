import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import type { CallToolResult } from '../../../src/protocol/tools/tool.ts';
import { defaultImage } from '../../../src/tools/commands/docker.ts';
import { Trees } from '../../../src/tools/workspaces/tree.ts';
import { standInDocker, type StandInDocker } from '../../support/docker.ts';
import { toolBench, type ToolBench } from '../../support/tool-bench.ts';

let bench: ToolBench;
let docker: StandInDocker;
afterEach(async () => {
  await bench.close();
  rmSync(docker.folder, { recursive: true, force: true });
});

function open(environment: Record<string, string> = {}): void {
  docker = standInDocker();
  bench = toolBench({}, { ...docker.environment, ...environment });
}

const packages = ['builtin.command'];
const source = { package: 'builtin.command' };
type Mounts = Array<{ path: string; tree: string }>;

function call(command: string, tree: string | null = null, mounts: Mounts = [], more: object = {}) {
  const tool = { name: 'run_command', source, timeout: 720, workspace: { tree, mounts } };
  return bench.call(tool, { command, ...more });
}
const run = (...args: Parameters<typeof call>): Promise<CallToolResult> => call(...args).result;

const runs = (): string[][] => docker.calls().filter(([verb]) => verb === 'run');

/** The values of a flag. */
const valuesOf = (flag: string, args = runs()[0] ?? []): string[] =>
  args.flatMap((each, index) => (each === flag ? [args[index + 1] ?? ''] : []));

async function filesOf(tree: string | null | undefined): Promise<Record<string, string>> {
  const files = await new Trees(bench.store).read(tree ?? null);
  const texts = [...files].map(async ([path, { id }]) => [path, Buffer.from(await bench.store.object(id)).toString()]);
  return Object.fromEntries(await Promise.all(texts)) as Record<string, string>;
}

describe('a command in a container', () => {
  test('changes the files of its agent', async () => {
    open();
    const first = await run('echo one > a; echo out');
    expect(first).toMatchObject({ status: 'ok', text: 'out\n[exit code 0]' });
    expect(await filesOf(first.tree)).toEqual({ a: 'one\n' });
    const second = await run('cat a; rm a; exit 4', first.tree);
    expect(second).toMatchObject({ text: 'one\n[exit code 4]', tree: null });
  });

  test('has a harmless container: each of these is asked of the engine', async () => {
    open();
    await run('true');
    const [args = []] = runs();
    for (const flag of ['--rm', '--read-only']) expect(args).toContain(flag);
    const uid = process.getuid?.() === 0 ? 65_534 : process.getuid?.();
    const values: Record<string, string[]> = {
      '--network': ['none'],
      '--cap-drop': ['ALL'],
      '--security-opt': ['no-new-privileges'],
      '--pids-limit': ['256'],
      '--memory': ['2147483648'],
      '--memory-swap': ['2147483648'],
      '--cpus': ['2'],
      '--pull': ['never'],
      '--log-driver': ['none'],
      '--workdir': ['/workspace'],
      '--label': [`reprise.command=${hostname()}:${process.pid}`],
      '--ulimit': ['fsize=1073741824', 'nofile=4096', 'core=0'],
      '--shm-size': ['67108864'],
      '--tmpfs': ['/tmp:rw,nosuid,nodev,mode=1777,size=536870912'],
    };
    expect(Object.fromEntries(Object.keys(values).map((flag) => [flag, valuesOf(flag)]))).toEqual(values);
    expect(valuesOf('--user')[0]).toMatch(new RegExp(`^${uid}:\\d+$`));
    expect(valuesOf('--mount')).toEqual([expect.stringMatching(/^type=bind,source=\/[^,]+,target=\/workspace$/)]);
    expect(args).toContain(defaultImage);
    for (const flag of ['--privileged', '--cap-add', '--device', '--volume', '-v', '--pid', '--ipc', '--volumes-from'])
      expect(args).not.toContain(flag);
  });

  test('sees what is mounted to be read only so, and cannot write it by another way', async () => {
    open();
    const tree = (await run('echo other > theirs')).tree ?? '';
    const { text } = await run('cat temp/agent2/theirs', null, [{ path: 'temp/agent2', tree }]);
    expect(text).toBe('other\n[exit code 0]');
    const [, second = []] = runs();
    expect(valuesOf('--mount', second)).toEqual([
      expect.stringMatching(/target=\/workspace$/),
      expect.stringMatching(/source=\/[^,]+\/temp,target=\/workspace\/temp,readonly$/),
    ]);
  });

  test.each([
    ['an option', '--privileged'],
    ['quotes', `'; exit 1; '"$(exit 1)"`],
    ['the end of options', '-- sh'],
    ['lines', 'echo a\necho b'],
    ['a dollar', 'echo $0 $1 $$'],
  ])('is one argument, whatever it holds: %s', async (_, command) => {
    open();
    await run(command);
    expect(runs()[0]?.at(-1)).toBe(command);
    expect(runs()[0]?.slice(-4, -1)).toEqual(['-c', expect.any(String), 'sh']);
  });

  test('is repeated by a retry from the same tree, since it reaches nothing else', async () => {
    open();
    const listed = await bench.list({ packages });
    expect(listed.tools[0]).toMatchObject({ sideEffects: 'idempotent', workspace: 'writes' });
  });

  test('with a network, which the worker names, may take effect elsewhere and is not repeated', async () => {
    open({ REPRISE_DOCKER_NETWORK: 'bridge' });
    expect((await bench.list({ packages })).tools[0]).toMatchObject({ sideEffects: 'once' });
    await run('true');
    expect(valuesOf('--network')).toEqual(['bridge']);
  });

  test('is ended by name after its time', async () => {
    open();
    const { text, tree } = await run('echo begun > a; echo begun; sleep 1000', null, [], { timeout: 1 });
    expect(text).toBe('begun\n[ended, since it had run for 1 seconds]');
    expect(await filesOf(tree)).toEqual({ a: 'begun\n' });
    const [name] = valuesOf('--name');
    expect(docker.calls()).toContainEqual(['rm', '--force', name]);
  });

  test('is ended by name when its call is cancelled', async () => {
    open();
    const { environment, result } = call('sleep 1000');
    await expect.poll(() => runs().length).toBe(1);
    environment.cancel('CANCELLED');
    await expect(result).rejects.toThrow(/CANCELLED/);
    const [name] = valuesOf('--name');
    await expect.poll(() => docker.calls()).toContainEqual(['rm', '--force', name]);
  });

  test('that the engine does not run is an exception in the engine’s words', async () => {
    open({ REPRISE_DOCKER_IMAGE: 'refused' });
    expect(await run('true')).toMatchObject({
      status: 'exception',
      text: 'docker could not run the command: docker: Error response from daemon: it does not want to.',
    });
  });
});

describe('what keeps commands from running is said before the run begins', () => {
  const listing = () => bench.list({ packages });

  test('that no engine answers', async () => {
    open();
    docker.answer('');
    await expect(listing()).rejects.toThrow(
      'run_command: no Docker engine answers (Cannot connect to the Docker daemon)',
    );
    // It is asked again, since the engine may have been started.
    docker.answer('28.2.2 []');
    await expect(listing()).resolves.toBeDefined();
  });

  test('that the image is not there', async () => {
    open({ REPRISE_DOCKER_IMAGE: 'missing' });
    await expect(listing()).rejects.toThrow('the image missing is not on this machine; fetch it: docker pull missing');
  });

  test('that there is no docker', async () => {
    open();
    const bare = toolBench({}, { PATH: '/nowhere' });
    await expect(bare.list({ packages })).rejects.toThrow('there is no program "docker" on the PATH of the worker');
    await bare.close();
  });
});

test('containers of workers of this machine that have died are removed, and no others', async () => {
  open();
  const dead = spawnSync('true').pid;
  docker.leave(`a1 ${hostname()}:${dead}\nb2 ${hostname()}:${process.pid}\nc3 elsewhere:${dead}\nd4 nonsense\n`);
  await bench.list({ packages });
  expect(docker.calls()).toContainEqual(['rm', '--force', 'a1']);
});

test('an engine without root gives the files to its own user', async () => {
  open();
  docker.answer('28.2.2 ["name=seccomp,profile=builtin","name=rootless"]');
  await run('true');
  expect(valuesOf('--user')).toEqual(['0:0']);
});

const engine = spawnSync('docker', ['image', 'inspect', defaultImage], { stdio: 'ignore' }).status === 0;
if (!engine) console.warn(`SKIPPED: no Docker engine with ${defaultImage} here; commands ran against a stand-in only`);

test.runIf(engine)('a real engine runs it, keeps it from the network and from everything but its folder', async () => {
  docker = standInDocker();
  bench = toolBench({}, { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' });
  const attempts = 'id -u; touch /etc/x; python3 -c "import socket; socket.create_connection((\'1.1.1.1\', 53), 2)"';
  const { status, text, tree } = await run(`${attempts}; echo kept > a`);
  expect(status).toBe('ok');
  expect(text).not.toMatch(/^0$/m);
  expect(text).toContain('Read-only file system');
  expect(text).toContain('Network is unreachable');
  expect(await filesOf(tree)).toEqual({ a: 'kept\n' });
});
