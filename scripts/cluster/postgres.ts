import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, closeSync, globSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../src/embedded/ports.ts';
import { isListening } from '../../src/embedded/server.ts';
import { killed } from '../chaos/processes.ts';

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

export async function startPostgres(folder: string) {
  const bin = globSync('/usr/lib/postgresql/*/bin').at(-1) ?? '';
  const ids = process.getuid?.() === 0 ? { uid: 101, gid: 104 } : undefined;
  const data = join(folder, 'postgres');
  mkdirSync(data);
  if (ids !== undefined) chownSync(data, ids.uid, ids.gid);
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'], {
    ...ids,
    stdio: 'ignore',
    cwd: '/',
  });
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    if (child !== undefined && child.exitCode === null && child.signalCode === null) return;
    const log = openSync(join(folder, 'postgres.log'), 'a');
    child = spawn(
      join(bin, 'postgres'),
      [
        '-D',
        data,
        '-p',
        String(port),
        '-c',
        'listen_addresses=127.0.0.1',
        '-c',
        `unix_socket_directories=`,
        '-c',
        'max_connections=200',
      ],
      { ...ids, stdio: ['ignore', log, log], cwd: '/' },
    );
    closeSync(log);
    while (!(await isListening(`127.0.0.1:${port}`)) && child.exitCode === null) await pause(100);
  };
  await start();
  return { port, user: 'postgres', pid: () => child?.pid, start, kill: () => killed(child) };
}
