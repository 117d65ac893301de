import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Clone } from './clone.ts';
import { firstWords } from '../support/first-words.ts';

const ownPackage = fileURLToPath(new URL('../../package.json', import.meta.url));

const echo = 'console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 5;';

test('the first start installs by the lock file, and says so on stderr only', async () => {
  using clone = new Clone(echo);
  const { status, stdout, stderr } = await clone.run(['ask', 'two words']);
  expect(clone.npmCalls).toEqual(['ci']);
  expect(stdout).toBe('["ask","two words"]\n');
  expect(stderr).toContain('installing the dependencies');
  expect(status).toBe(5);
});

test('the second start is silent and needs no npm', async () => {
  using clone = new Clone(echo);
  await clone.run([]);
  expect(await clone.run([])).toEqual({ status: 5, stdout: '[]\n', stderr: '' });
  expect(clone.npmCalls).toEqual(['ci']);
});

test('a lock file that has changed is installed', async () => {
  using clone = new Clone(echo);
  await clone.run([]);
  clone.write('package-lock.json', '{"changed": true}');
  await clone.run([]);
  await clone.run([]);
  expect(clone.npmCalls).toEqual(['ci', 'ci']);
});

test('of several starts at once, one installs and the others wait for it', async () => {
  using clone = new Clone(echo);
  const ended = await Promise.all([clone.run([]), clone.run([]), clone.run([])]);
  expect(ended.map(({ status }) => status)).toEqual([5, 5, 5]);
  expect(clone.npmCalls).toEqual(['ci']);
  expect(readdirSync(clone.folder).filter((name) => name.startsWith('.installing'))).toEqual([]);
});

test('the lock of a start that was killed is taken over', async () => {
  using clone = new Clone(echo);
  const dead = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(dead, 'exit');
  symlinkSync(join(clone.folder, String(dead.pid)), join(clone.folder, '.installing'), 'junction');
  expect((await clone.run([])).status).toBe(5);
  expect(clone.npmCalls).toEqual(['ci']);
});

test('an installation that fails ends with a message and status 1, and is tried again by the next start', async () => {
  using clone = new Clone(echo);
  clone.npmFails = true;
  const { status, stdout, stderr } = await clone.run([]);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('the dependencies could not be installed (npm ended with 7)');
  clone.npmFails = false;
  expect((await clone.run([])).status).toBe(5);
});

test.each(['18.20.8', '20.20.2', '22.17.1'])(
  'under Node %s the pinned Node is fetched through npm, once',
  async (old) => {
    using clone = new Clone(echo);
    const first = await clone.run(['x'], old);
    expect(first).toMatchObject({ status: 5, stdout: '["x"]\n' });
    expect(first.stderr).toContain(`this machine's Node ${old} is older than 22.18; fetching Node 24.21.0`);
    expect(await clone.run(['x'], old)).toMatchObject({ status: 5, stderr: '' });
    expect(clone.npmCalls).toEqual([
      expect.stringMatching(/^install --prefix .* node-(bin-)?[a-z]+-[a-z0-9]+@24\.21\.0$/),
      'ci',
    ]);
    expect(readdirSync(join(clone.cache, 'reprise'))).toEqual(['node-24.21.0']);
  },
);

test.each(['22.18.0', '24.0.0', '26.1.0'])('Node %s is new enough', async (version) => {
  using clone = new Clone(echo);
  await clone.run([], version);
  expect(clone.npmCalls).toEqual(['ci']);
});

test('a Node that cannot be fetched: the message says what to install', async () => {
  using clone = new Clone(echo);
  clone.npmFails = true;
  const { status, stderr } = await clone.run([], '20.20.2');
  expect(status).toBe(1);
  expect(stderr).toContain('Node 24.21.0 could not be fetched (npm ended with 7); install Node >= 22.18 yourself');
  expect(existsSync(join(clone.cache, 'reprise')) && readdirSync(join(clone.cache, 'reprise'))).toEqual([]);
});

test('a cache that cannot be written: the message says so, and what to install', async () => {
  using clone = new Clone(echo);
  // Neither made nor removed can be what lies in a link to itself; of root's folders no permission is asked.
  mkdirSync(clone.cache);
  symlinkSync('reprise', join(clone.cache, 'reprise'));
  const { status, stderr } = await clone.run([], '20.20.2');
  expect(status).toBe(1);
  expect(stderr).toMatch(/could not be fetched \(E\w+: .*mkdir.*\); install Node >= 22.18 yourself/);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s reaches the program, whose status counts', async (signal) => {
  using clone = new Clone(
    `process.on('${signal}', () => process.exit(42)); setInterval(() => {}, 1000); console.log('ready');`,
  );
  const { child, ended } = clone.start([]);
  await firstWords(child);
  child.kill(signal);
  expect((await ended).status).toBe(42);
});

test('a program that a signal ends: the bootstrap ends by the same signal', async () => {
  using clone = new Clone("process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000);");
  const { child, ended } = clone.start([]);
  await ended;
  expect(child.signalCode).toBe('SIGTERM');
});

test.each([process.versions.node, '20.20.2'])(
  'an installed package runs what is compiled, under Node %s too',
  async (version) => {
    using clone = new Clone(echo, 'dist/cli/main.js');
    expect(await clone.run(['x'], version)).toMatchObject({ status: 5, stdout: '["x"]\n' });
    expect(clone.npmCalls.filter((call) => call === 'ci')).toEqual([]);
  },
);

test.each([
  ['in a clone, a program imports Reprise by its name without a build', 'src', 'the sources'],
  ['in an installed package, it imports what is compiled', 'dist', 'what is compiled'],
])('%s', async (_, folder, imported) => {
  const program = "import { where } from 'reprise'; console.log(where);";
  using clone = new Clone(program, folder === 'src' ? 'src/cli/main.ts' : 'dist/cli/main.js');
  const { exports } = JSON.parse(readFileSync(ownPackage, 'utf8')) as { exports: object };
  clone.write('package.json', JSON.stringify({ name: 'reprise', type: 'module', exports }));
  clone.write('src/client.ts', "export const where = 'the sources';");
  clone.write('dist/client.js', "export const where = 'what is compiled';");
  expect(await clone.run([])).toMatchObject({ status: 0, stdout: `${imported}\n` });
});
