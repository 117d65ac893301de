import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { imagesIn } from '../../scripts/pin-images.ts';
import { workersMark } from '../../src/worker/deployment.ts';
import { environmentVariables } from '../../src/config/environment-variables.ts';
import { freePort } from '../../src/local/ports.ts';
import { Home } from '../support/cli.ts';
import { compose, path, read } from './reading.ts';

const { services } = compose();
/** Services that stay, other than those that end when they are done. */
const lasting = Object.entries(services).filter(([, { restart }]) => restart !== undefined);

/** The names of a file of the form `NAME=value`. */
const namesIn = (text: string): string[] => [...text.matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name);

test('the workers get every variable that Reprise reads', () => {
  const given = services['worker']?.environment ?? {};
  expect(environmentVariables.filter((name) => given[name] === undefined)).toEqual([]);
  for (const [name, value] of Object.entries(given)) {
    if (name !== 'TEMPORAL_ADDRESS' && name !== 'DATABASE_URL') expect(value).toBe(`\${${name}:-}`);
  }
});

test('the example of an environment names what docker-compose.yml asks for, and nothing else', () => {
  const asked = [...read('docker-compose.yml').matchAll(/\$\{([A-Z0-9_]+)(?::[-?][^}]*)?\}/g)].map(
    ([, name = '']) => name,
  );
  expect(namesIn(read('.env.example')).toSorted()).toEqual([...new Set(asked)].toSorted());
  expect(read('.env.example')).not.toMatch(/^[A-Z0-9_]+=./m);
});

test('no password and no token has a default that others know, and a file with them is not committed', () => {
  expect(read('docker-compose.yml')).not.toMatch(/PASSWORD:-|PWD:-|TOKEN:-(?!\})/);
  expect(read('.gitignore')).toMatch(/^\.env$/m);
});

test('the HTTP server takes its port only where it is wanted: a home of this machine may hold it', () => {
  const optional = Object.entries(services).filter(([, { profiles }]) => profiles !== undefined);
  expect(optional.map(([name, { profiles }]) => [name, profiles])).toEqual([['http', ['http']]]);
});

test('what lasts is started again, is looked after, and is reached from this machine alone', () => {
  expect(lasting.map(([name]) => name)).toEqual(['postgresql', 'temporal', 'ui', 'worker', 'http']);
  for (const [, { healthcheck, ports = [], restart }] of lasting) {
    expect(restart).toBe('unless-stopped');
    expect(healthcheck).toBeDefined();
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  }
  expect(read('Dockerfile')).toMatch(/^HEALTHCHECK /m);
});

test.each(Object.entries(services))('%s has no capabilities, gains none, and is limited', (name, service) => {
  expect(service.cap_drop).toEqual(['ALL']);
  expect(service.security_opt).toEqual(['no-new-privileges:true']);
  expect(service.deploy?.resources?.limits).toEqual({
    cpus: expect.any(String),
    memory: expect.any(String),
    pids: expect.any(Number),
  });
  expect(service.read_only).toBe(true);
  expect(service.ipc).toBe(name === 'postgresql' ? 'private' : 'none');
});

test.each(['Dockerfile', 'docker-compose.yml'])('each image of %s is pinned by digest', (file) => {
  const images = imagesIn(read(file));
  expect(images.length).toBeGreaterThan(0);
  for (const { digest, tag, text } of images)
    expect({ text, isPinned: digest !== undefined, tag }).toMatchObject({
      isPinned: true,
      tag: expect.stringMatching(/\d+\.\d+/),
    });
});

test('docker-compose.yml fits the schema of the Compose specification', (context) => {
  const fetched = spawnSync('go', ['mod', 'download', '-json', 'github.com/compose-spec/compose-go/v2@v2.9.1'], {
    encoding: 'utf8',
    cwd: '/',
  });
  const { Dir: folder } = (fetched.status === 0 ? JSON.parse(fetched.stdout) : {}) as { Dir?: string };
  if (folder === undefined) {
    console.warn(
      'The schema of the Compose specification is not looked at: it comes from a Go module, and there is no Go',
    );
    return context.skip();
  }
  const schema = JSON.parse(readFileSync(join(folder, 'schema', 'compose-spec.json'), 'utf8')) as { $schema: string };
  const ajv = schema.$schema.includes('2019')
    ? new Ajv2019({ strict: false, validateFormats: false })
    : new Ajv({ strict: false, validateFormats: false });
  const { $schema: _, ...rest } = schema;
  const fits = ajv.compile(rest);
  fits(parse(read('docker-compose.yml'), { merge: true }));
  expect(fits.errors).toBeNull();
});

test('the HTTP server that it starts is healthy, answers at the port of this machine, and does not tell its token', async () => {
  const { command = [], healthcheck } = services['http'] ?? {};
  const [port, published] = [await freePort(8234), await freePort(8235)];
  const placed = (words: string[]): string[] =>
    words.map((word) => word.replace('8234', String(port)).replace(/^\/config$/, path('deploy/config')));
  const token = 'a-token-of-this-test';
  const home = await Home.make({ REPRISE_TOKEN: token, REPRISE_PUBLIC_URL: `http://127.0.0.1:${published}` });
  try {
    const serving = home.startProcess(placed(command));
    await serving.says(/Ctrl-C ends it/);
    expect(serving.stderr).not.toContain(token);
    const [, program = '', ...words] = placed(healthcheck?.test ?? []);
    expect(spawnSync(program, words, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    const asked = async (host: string): Promise<number | undefined> => {
      const headers = { host, authorization: `Bearer ${token}` };
      const [answer] = (await once(get({ port, path: '/api/v1/runs', headers }), 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    expect(await asked(`127.0.0.1:${published}`)).toBe(200);
    expect(await asked(`elsewhere.example:${published}`)).toBe(403);
    serving.signal('SIGTERM');
    expect(await serving.finished).toMatchObject({ status: 0 });
    expect(spawnSync(program, words).status).toBe(1);
  } finally {
    await home.remove();
  }
}, 300_000);

test('the namespace is marked, new or not, so that commands on this machine start no workers for it', () => {
  const [script = ''] = services['namespace']?.command ?? [];
  for (const verb of ['create', 'update'])
    expect(script).toMatch(new RegExp(`namespace ${verb} -n default.* --data ${workersMark.join('=')}$`, 'm'));
});

test('what its image would keep in a volume without a name is kept in memory, where it is no data', () => {
  const { database, postgresql } = services;
  expect(postgresql?.volumes).toEqual(['postgresql:/var/lib/postgresql/data']);
  expect(database?.tmpfs).toContain('/var/lib/postgresql/data');
});

test('Temporal’s server reads its settings from the file that is mounted, with tasks shared out fairly', () => {
  expect(services['temporal']?.environment?.['DYNAMIC_CONFIG_FILE_PATH']).toBe(
    '/etc/reprise/temporal-dynamic-config.yaml',
  );
  const settings = parse(read('deploy/compose/temporal-dynamic-config.yaml')) as Record<
    string,
    Array<{ value: unknown }>
  >;
  expect(settings).toMatchObject({
    'matching.useNewMatcher': [{ value: true }],
    'matching.enableFairness': [{ value: true }],
    'history.transferProcessorMaxPollRPS': [{ value: 1000 }],
  });
});
