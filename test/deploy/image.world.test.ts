import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  constants,
  copyFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { dockerfile, path, read, type Instruction } from './reading.ts';

const base = mkdtempSync(join(tmpdir(), 'reprise-image-'));
/** Where the root of a stage is, by its name; that of the last one, which has none, is the image. */
const rootOf = (stage: string): string => join(base, stage === '' ? 'image' : stage);
const isRoot = process.getuid?.() === 0;
const instructions = dockerfile();
const environment: Record<string, string> = {};
let user = '';
let command: string[] = [];

/** The environment of the build: this one, with the `node` and `npm` that run this test, and packages from npm's cache. */
const buildEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_ENV: '',
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  npm_config_prefer_offline: 'true',
};

/** What may be copied from the project, by `.dockerignore`, which excludes everything and then lists what it takes. */
const taken = read('.dockerignore')
  .split('\n')
  .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));

/** Carries out the Dockerfile's instructions as a builder does, with a folder in the place of each root. */
function build(all: Instruction[]): void {
  let [root, place] = ['', '/'];
  const inside = (name: string): string => join(root, name.startsWith('/') ? name : join(place, name));
  for (const { name, words } of all) {
    const parts = words.split(/\s+/);
    if (name === 'FROM') {
      const [, , stage = ''] = parts;
      [root, place] = [rootOf(stage), '/'];
      mkdirSync(root, { recursive: true });
    } else if (name === 'WORKDIR') {
      place = words;
      mkdirSync(inside('.'), { recursive: true });
    } else if (name === 'COPY') {
      copy(parts, inside);
    } else if (name === 'RUN') {
      const mapped = words.replaceAll(/(?<=\s)\/(?=build\/)/g, `${root}/`);
      // What `npm ci` makes is what this project has, which is no other than its lock file says (`bin/bootstrap.mjs`).
      const quick = mapped.replace(
        /^npm ci .*/,
        `(cp -al '${path('node_modules')}' . || cp -a '${path('node_modules')}' .) && rm -r node_modules/.cache`,
      );
      const { status, stderr } = spawnSync('sh', ['-c', quick], {
        cwd: inside('.'),
        env: buildEnvironment,
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`RUN ${words}: ${stderr}`);
    } else if (name === 'ENV') {
      for (const [, key = '', value = ''] of words.matchAll(/(\S+?)=(\S+)/g))
        environment[key] = value.startsWith('/') ? join(rootOf(''), value) : value;
    } else if (name === 'USER') {
      user = words;
    } else if (name === 'ENTRYPOINT' || name === 'CMD') {
      command = [...command, ...(JSON.parse(words) as string[])];
    } else {
      expect(['LABEL', 'STOPSIGNAL', 'HEALTHCHECK']).toContain(name);
    }
  }
}

function copy(parts: string[], inside: (name: string) => string): void {
  const from = /--from=(\S+)/.exec(parts.join(' '))?.[1];
  const owner = /--chown=(\d+):(\d+)/.exec(parts.join(' '));
  const names = parts.filter((part) => !part.startsWith('--'));
  const target = inside(names.at(-1) ?? '');
  for (const source of names.slice(0, -1)) {
    if (from === undefined) expect(taken).toContain(source.split('/')[0]);
    const whole = from === undefined ? path(source) : join(rootOf(from), source);
    // A folder is copied by its content, a file into a folder that ends with a slash.
    const isFolder = statSync(whole).isDirectory();
    const to = !isFolder && /(?:\/|^\.)$/.test(names.at(-1) ?? '') ? join(target, source) : target;
    cpSync(whole, to, { recursive: true, verbatimSymlinks: true });
    if (owner === null || !isRoot) continue;
    for (const each of isFolder ? readdirSync(whole) : ['.'])
      chownSync(join(to, each), Number(owner[1]), Number(owner[2]));
  }
}

let worker: ChildProcess | undefined;
beforeAll(() => {
  chmodSync(base, 0o755);
  build(instructions);
}, 900_000);
afterAll(async () => {
  if (worker?.exitCode === null) {
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  }
  rmSync(base, { recursive: true, force: true });
});

const inImage = (name: string): string => join(rootOf(''), name);

test('the image has the compiled package with its bundle, and nothing that only development needs', () => {
  expect(readdirSync(inImage('reprise')).toSorted()).toEqual(
    ['LICENSE', 'bin', 'dist', 'docs', 'node_modules', 'package.json', 'schemas', 'templates'].toSorted(),
  );
  expect(existsSync(inImage('reprise/dist/workflow-bundle.js'))).toBe(true);
  for (const name of ['typescript', 'vitest', 'oxlint'])
    expect(existsSync(inImage(`reprise/node_modules/${name}`))).toBe(false);
  const releases = readdirSync(inImage('reprise/node_modules/@temporalio/core-bridge/releases'));
  expect(releases.toSorted()).toEqual(['aarch64-unknown-linux-gnu', 'x86_64-unknown-linux-gnu']);
});

test('it runs as a user that is not root, named by number, so that Kubernetes can tell', () => {
  expect(user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(command[0]).toBe('node');
});

test('its worker serves a run as that user, and ends when it is told to', async () => {
  const { address } = inject('temporal');
  const namespace = `image-${process.pid}`;
  const connection = await Connection.connect({ address });
  onTestFinished(() => connection.close());
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 } as never,
  });
  const [, uid = 0, gid = 0] = (/(\d+):(\d+)/.exec(user) ?? []).map(Number);
  mkdirSync(inImage('tmp'), { recursive: true });
  chmodSync(inImage('tmp'), 0o777);
  // What the base image brings along; this Node may be where only its user can read.
  copyFileSync(process.execPath, inImage('node'), constants.COPYFILE_FICLONE);
  const words = command.slice(1).map((word) => (word.startsWith('/') ? inImage(word) : word));
  worker = spawn(inImage('node'), words, {
    cwd: inImage('config'),
    env: { ...environment, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace, PATH: process.env['PATH'] },
    stdio: ['ignore', 'inherit', 'pipe'],
    ...(isRoot && { uid, gid }),
  });
  let said = '';
  worker.stderr?.on('data', (text: Buffer) => (said += text.toString()));
  await expect.poll(() => said).toContain('Worker on');
  await using reprise = await connect({ address, namespace });
  const run = await reprise.startOrchestration({
    task: 'How many attempts does an orchestration get by default?',
    config: { agents: [{ id: 'a', backend: { type: 'offline' } }] },
  });
  expect(await run.result()).toMatchObject({ outcome: 'submitted' });
  const ended = once(worker, 'exit');
  worker.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}, 600_000);

test.each([
  [200, 0],
  [503, 1],
])('its health check fails unless the worker answers that it lives: %i', async (status, exit) => {
  const { words } = instructions.find(({ name }) => name === 'HEALTHCHECK') ?? { words: '' };
  const [, check = '[]'] = /CMD\s+(\[.*\])$/.exec(words) ?? [];
  const [, ...given] = JSON.parse(check) as string[];
  const server = createServer((request, response) => response.writeHead(request.url === '/live' ? status : 404).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const checked = spawn(process.execPath, given, { env: { REPRISE_HEALTH_PORT: String(port) } });
  expect((await once(checked, 'exit'))[0]).toBe(exit);
});
