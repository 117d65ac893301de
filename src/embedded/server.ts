import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { Connection } from '@temporalio/client';
import { freePort } from './ports.ts';

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

/** How long one that listens may take for an answer: a busy machine is slow. */
const answerPatience = 3000;

/** How often a server is started that ends before it answers. */
const tries = 3;

/** A server has ended before it answered. */
class ServerEnded extends Error {}

/**
 * Starts an embedded Temporal server and waits until it answers.
 *
 * @throws where its port is taken; where it ends before it answers, each time, with the end of its log
 */
export async function startServer(settings: ServerSettings): Promise<RunningServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(settings);
    } catch (error) {
      // The ports of its inner services are free when it looks; one that is taken before it listens there ends it.
      if (!(error instanceof ServerEnded) || attempt === tries) throw error;
    }
  }
}

async function startOnce(settings: ServerSettings): Promise<RunningServer> {
  const { cli, port, uiPort, database, log, detached = false } = settings;
  // Else the one that has the port would be taken for it.
  if ((await freePort(port)) !== port) throw new Error(`Port ${port} is taken by another program`);
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
    child.once('error', (error) => reject(new Error(`The Temporal server cannot be started: ${error.message}`)));
    child.once('exit', (code, signal) =>
      reject(new ServerEnded(`The Temporal server ended (${signal ?? code}):\n${tail(log)}`)),
    );
  });
  try {
    await Promise.race([answering(address, child), ended]);
  } catch (error) {
    child.kill();
    throw error;
  }
  // From here on its end is its owner's affair; the log may be gone by then.
  child.removeAllListeners('exit');
  return { address, process: child };
}

/** Waits until a server answers, or has ended. @throws when it does neither in time */
async function answering(address: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + patience;
  while (child.exitCode === null && child.signalCode === null) {
    if (await answers(address)) return;
    if (Date.now() > deadline) throw new Error(`The Temporal server at ${address} does not answer`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Whether a Temporal server answers at an address of this machine. */
export async function answers(address: string): Promise<boolean> {
  // gRPC would try to connect until its time is over, although nothing listens.
  if (!(await isListening(address))) return false;
  const connection = Connection.lazy({ address });
  try {
    // `ensureConnected` takes a server that knows no Temporal at all for an old one.
    await connection.withDeadline(Date.now() + answerPatience, () => connection.workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

/** Whether any program listens at an address of this machine, which is known at once. */
export function isListening(address: string): Promise<boolean> {
  const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  const socket = connect({ host, port: Number(port) });
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}

const tail = (file: string): string => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-5).join('\n');
