import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Connection } from '@temporalio/client';

export interface ServerSettings {
  /** Path of the Temporal CLI. */
  cli: string;
  port: number;
  /** Port of the Web UI; absent: none. */
  uiPort?: number;
  /** File of its database; absent: in memory. */
  database?: string;
  /** What it prints is appended here. */
  log: string;
  /** Whether it outlives this process. */
  detached?: boolean;
}

export interface RunningServer {
  address: string;
  process: ChildProcess;
}

/** Many short activities: each of these queues is otherwise read at most 20 times a second. */
const queues = ['transfer', 'timer', 'visibility'];

/** Durable and fast: with WAL, one `fsync` a commit costs hardly more than a database in memory. */
const pragmas = ['journal_mode=WAL', 'synchronous=FULL'];

/** How long a server may take until it answers. */
const patience = 30_000;

/**
 * Starts an embedded Temporal server and waits until it answers.
 *
 * @throws where it ends before that, with the end of its log
 */
export async function startServer(settings: ServerSettings): Promise<RunningServer> {
  const { cli, port, uiPort, database, log, detached = false } = settings;
  mkdirSync(dirname(log), { recursive: true });
  if (database !== undefined) mkdirSync(dirname(database), { recursive: true });
  const words = [
    'server start-dev --ip 127.0.0.1 --log-level warn'.split(' '),
    ['--port', String(port)],
    uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)],
    database === undefined ? [] : ['--db-filename', database],
    database === undefined ? [] : pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    queues.flatMap((queue) => ['--dynamic-config-value', `history.${queue}ProcessorMaxPollRPS=1000`]),
  ].flat();
  const output = openSync(log, 'a');
  const child = spawn(cli, words, { stdio: ['ignore', output, output], detached });
  closeSync(output);
  if (detached) child.unref();
  const address = `127.0.0.1:${port}`;
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The Temporal server ended (${code}):\n${tail(log)}`)));
  });
  await Promise.race([answering(address, patience), ended]);
  return { address, process: child };
}

/** Waits until a server answers at an address. @throws when it does not in that time */
async function answering(address: string, milliseconds: number): Promise<void> {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    if (await answers(address)) return;
    if (Date.now() > deadline) throw new Error(`The Temporal server at ${address} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Whether a Temporal server answers at an address. */
export async function answers(address: string, connectTimeout = 1000): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout });
    await connection.close();
    return true;
  } catch {
    return false;
  }
}

const tail = (file: string): string => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
