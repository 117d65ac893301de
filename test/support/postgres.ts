import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../src/local/ports.ts';

/** A PostgreSQL server of its own on this machine, with an empty database `reprise`. */
export interface PostgresServer {
  /** The address of the database, with the password. */
  url: string;
  host: string;
  port: number;
  user: string;
  password: string;
  /** The id of the server's first process; undefined where it does not run. */
  pid(): number | undefined;
  /** Makes a new, empty database. @returns its address */
  database(name: string): string;
  /** Ends the server as an administrator does, with all its connections, and leaves its data. */
  down(): Promise<void>;
  /** Ends the server without warning, and leaves its data. */
  kill(): Promise<void>;
  /** Starts it on its data and port again, after ending it if it runs. */
  restart(): Promise<void>;
  /** Ends the server and removes its data. */
  stop(): Promise<void>;
}

/** Where PostgreSQL's programs are: Debian's newest, or those on the PATH. */
function findPrograms(): string | undefined {
  const newest = globSync('/usr/lib/postgresql/*/bin').sort((one, other) => versionOf(other) - versionOf(one));
  const folders = [...newest, ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.find((folder) => ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))));
}

const versionOf = (folder: string): number => Number(folder.split('/').at(-2));

const programs = findPrograms();

/** Whether this machine has PostgreSQL. Says what is skipped, and what to install, where it has not. */
export function hasPostgres(skipped: string): boolean {
  if (programs !== undefined) return true;
  process.stderr.write(`\nSKIPPED, since PostgreSQL is not installed (apt-get install postgresql): ${skipped}\n`);
  return false;
}

/** PostgreSQL does not run as root: then Debian's user for it, or nobody. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const user of ['postgres', 'nobody']) {
    try {
      const idOf = (flag: string): number =>
        Number(execFileSync('id', [flag, user], { stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: idOf('-u'), gid: idOf('-g') };
    } catch {
      // There is no such user.
    }
  }
  return undefined;
}

const password = 'a-secret-password';

/**
 * Starts a PostgreSQL server with its data in a temporary folder. It listens on a free port of 127.0.0.1.
 *
 * @throws `Error` where there are no programs of PostgreSQL, see `hasPostgres`
 */
export async function startPostgres(): Promise<PostgresServer> {
  if (programs === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const as = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'reprise-postgres-'));
  const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')];
  mkdirSync(data);
  writeFileSync(passwordFile, password);
  if (as) for (const path of [folder, data, passwordFile]) chownSync(path, as.uid, as.gid);
  const port = await freePort();
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'reprise', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C', '-N'],
    { ...as, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const urlOf = (name: string): string => `postgres://reprise:${password}@127.0.0.1:${port}/${name}`;
  const make = (name: string): string => {
    execFileSync(join(programs, 'createdb'), ['-h', '127.0.0.1', '-p', String(port), '-U', 'reprise', name], {
      env: { ...process.env, PGPASSWORD: password },
    });
    return urlOf(name);
  };
  let server: ChildProcess | undefined;
  const isRunning = (): boolean => server?.exitCode === null && server.signalCode === null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server === undefined || !isRunning()) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  const start = async (): Promise<void> => {
    for (let tries = 1; ; tries++) {
      const words = ['-D', data, '-k', folder, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'];
      const started = spawn(join(programs, 'postgres'), words, {
        ...as,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const said = await untilReady(started);
      server = started;
      if (said === undefined) return;
      // After a kill, processes of the old server may live for a moment.
      if (tries === 50) throw new Error(`PostgreSQL does not start: ${said}`);
      await pause(100);
    }
  };
  // A test that is given up leaves no server.
  const last = (): void => void server?.kill('SIGQUIT');
  process.once('exit', last);
  await start();
  make('reprise');
  return {
    url: urlOf('reprise'),
    host: '127.0.0.1',
    port,
    user: 'reprise',
    password,
    pid: () => (isRunning() ? server?.pid : undefined),
    database: make,
    down: () => end('SIGINT'),
    async kill() {
      // Its processes for connections would outlive it for a moment.
      const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(server?.pid)], { encoding: 'utf8' });
      const ended = end('SIGKILL');
      for (const pid of children.trim().split(/\s+/)) process.kill(Number(pid), 'SIGKILL');
      await ended;
    },
    async restart() {
      await end('SIGINT');
      await start();
    },
    async stop() {
      await end('SIGINT');
      process.off('exit', last);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until a server takes connections. @returns undefined then; what it said if it has ended instead */
async function untilReady(server: ChildProcess): Promise<string | undefined> {
  let said = '';
  const isReady = new Promise<undefined>((resolve) => {
    server.stderr?.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-4000);
      if (said.includes('ready to accept connections')) resolve(undefined);
    });
  });
  return Promise.race([isReady, once(server, 'exit').then(() => said)]);
}
