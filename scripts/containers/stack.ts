import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../src/local/ports.ts';
import { docker, run, tried, type Ended } from './programs.ts';
import { withStandIns } from './stand-ins.ts';

const root = dirname(dirname(import.meta.dirname));
const project = 'reprise-test-containers';
const down = ['down', '--volumes', '--remove-orphans', '--timeout', '5'];

/** The services of docker-compose.yml, of a project of their own. */
export interface Stack {
  /** Temporal's address, as a person on this machine names it. */
  address: string;
  /** The HTTP server, as this machine reaches it, and the token that opens it. */
  http: { url: string; token: string };
  /** The password of PostgreSQL's superuser. */
  password: string;
  /** Runs `docker compose` with these words. @throws `Error` where that fails */
  compose(...words: string[]): Promise<string>;
  /** Runs a shell's script in a container of a service. */
  inside(service: string, script: string, index?: number): Promise<Ended>;
  /** Names of the containers of a service that are there, whether they run or not. */
  containers(service: string): Promise<string[]>;
  /** Names of the volumes that are there now, and were not before. */
  volumes(): Promise<string[]>;
  /** Removes containers, networks and volumes. */
  remove(): Promise<void>;
}

/**
 * Copies the project as a builder sees it, names stand-ins for its images, and writes its `.env`. Nothing is started.
 *
 * @param variables of the file `.env`
 */
export async function makeStack(variables: Record<string, string>, say: (text: string) => void): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-containers-'));
  const taken = readFileSync(join(root, '.dockerignore'), 'utf8').matchAll(/^!(.+)$/gm);
  for (const name of [...[...taken].map(([, each = '']) => each), '.dockerignore', '.env.example', 'deploy'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  // What an earlier run has left that was killed.
  const left = await docker('ps', '--all', '--quiet', '--filter', `label=com.docker.compose.project=${project}`);
  if (left !== '') await docker('rm', '--force', '--volumes', ...left.split('\n'));
  const [port, uiPort, httpPort] = [await freePort(7233), await freePort(8080), await freePort(8234)];
  const write = async (name: string, change = (text: string): string => text): Promise<void> => {
    const text = await withStandIns(readFileSync(join(root, name), 'utf8'), say);
    writeFileSync(join(folder, name), change(text));
  };
  await write('Dockerfile');
  await write('docker-compose.yml', (text) =>
    text
      .replaceAll('build: .', 'build: { context: ., network: host }')
      .replaceAll('image: reprise\n', `image: ${project}\n`)
      .replace('127.0.0.1:8234:', `127.0.0.1:${httpPort}:`)
      .replace('127.0.0.1:7233:', `127.0.0.1:${port}:`)
      .replace('127.0.0.1:8080:', `127.0.0.1:${uiPort}:`),
  );
  const password = randomBytes(24).toString('hex');
  const http = { url: `http://127.0.0.1:${httpPort}`, token: randomBytes(24).toString('hex') };
  const all = {
    POSTGRES_PASSWORD: password,
    REPRISE_DATABASE_PASSWORD: randomBytes(24).toString('hex'),
    REPRISE_TOKEN: http.token,
    REPRISE_PUBLIC_URL: http.url,
    ...variables,
  };
  const example = readFileSync(join(folder, '.env.example'), 'utf8');
  const filled = Object.entries(all).reduce(
    (text, [name, value]) => text.replace(`\n${name}=`, `\n${name}=${value}`),
    example,
  );
  writeFileSync(join(folder, '.env'), filled);
  const env = { ...process.env, COMPOSE_PROJECT_NAME: project, COMPOSE_BAKE: 'false', COMPOSE_PROFILES: 'http' };
  /** Ends what is under way when all is removed. */
  const over = new AbortController();
  const compose = (...words: string[]): Promise<string> =>
    run(['docker', 'compose', ...words], { cwd: folder, env, signal: over.signal });
  const listed = async (...words: string[]): Promise<string[]> => (await docker(...words)).split('\n').filter(Boolean);
  const allVolumes = (): Promise<string[]> => listed('volume', 'ls', '--quiet');
  await compose(...down);
  const before = new Set(await allVolumes());
  return {
    address: `localhost:${port}`,
    http,
    password,
    compose,
    inside: (service, script, index = 1) =>
      tried(['docker', 'compose', 'exec', '-T', '--index', String(index), service, 'sh', '-c', script], {
        cwd: folder,
        env,
      }),
    containers: (service) => listed('ps', '--all', '--format', '{{.Names}}', '--filter', `name=${project}-${service}-`),
    volumes: async () => (await allVolumes()).filter((name) => !before.has(name)),
    async remove() {
      over.abort();
      await run(['docker', 'compose', ...down], { cwd: folder, env });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
