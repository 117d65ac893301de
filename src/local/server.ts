import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { privateFolder, privateMode } from '../util/private-files.ts';
import { freePort, unreachablePorts, type HiddenPlace } from './ports.ts';

export interface ServerSettings {
  cli: string;
  port: number;
  /** Where the Web UI listens, which takes whoever reaches it for a friend; without it, there is none. */
  ui?: HiddenPlace;
  /** Where the Web UI has payloads decrypted; without it, it shows them as they are. */
  codecEndpoint?: string;
  /** File of the database; without it, the database is in memory. */
  database?: string;
  log: string;
}

export type RunningServer = { address: string; process: ChildProcess };

/** Queues whose limit of 20 reads a second is raised, since it would slow down many short activities. */
const queues = ['transfer', 'timer', 'visibility'];

/** Settings that are durable and fast: with WAL, one `fsync` per commit costs hardly more than a database in memory. */
const pragmas = ['journal_mode=WAL', 'synchronous=FULL'];

/**
 * The server's HTTP API cannot be turned off, and by default takes orders from every page in every browser, whatever host
 * the request names. With this list it takes none: no request can name a host with a space.
 */
const allowedHosts = '["no host at all"]';

/** How long a new server may take until it answers, in milliseconds. */
const timeoutMs = 30_000;

/** How long a server that listens may take to answer, in milliseconds; a busy machine is slow. */
const answerPatienceMs = 3000;

class ServerEndedError extends Error {}

/** @throws where the port is taken, or the server ends before it answers at each attempt, with the end of its log */
export async function startServer(settings: ServerSettings): Promise<RunningServer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(settings);
    } catch (error) {
      // The server chooses free ports for its inner services, and ends where one is taken before it listens there.
      if (!(error instanceof ServerEndedError) || attempt === 8) throw error;
    }
  }
}

async function startOnce(settings: ServerSettings): Promise<RunningServer> {
  const { cli, port, ui, codecEndpoint, database, log } = settings;
  // Otherwise a server that has the port already would be mistaken for the new one.
  if ((await freePort(port)) !== port) throw new Error(`Port ${port} is taken by another program`);
  privateFolder(dirname(log));
  if (database !== undefined) privateFolder(dirname(database));
  // Nor should browsers reach what else the server opens.
  const [httpPort = await freePort(), metricsPort = await freePort()] = await unreachablePorts(2);
  const words = [
    'server start-dev --ip 127.0.0.1 --log-level warn'.split(' '),
    ['--port', port, '--http-port', httpPort, '--metrics-port', metricsPort].map(String),
    ui === undefined ? ['--headless'] : ['--ui-ip', ui.host, '--ui-port', String(ui.port)],
    codecEndpoint === undefined ? [] : ['--ui-codec-endpoint', codecEndpoint],
    database === undefined ? [] : ['--db-filename', database],
    database === undefined ? [] : pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    // So that whoever has many runs does not starve others, whose runs name another fairness key.
    ['--dynamic-config-value', 'matching.useNewMatcher=true', '--dynamic-config-value', 'matching.enableFairness=true'],
    queues.flatMap((queue) => ['--dynamic-config-value', `history.${queue}ProcessorMaxPollRPS=1000`]),
    ['--dynamic-config-value', `frontend.httpAllowedHosts=${allowedHosts}`],
  ].flat();
  const output = openSync(log, 'a', privateMode.file);
  // The server makes its database itself, with the permissions that this leaves.
  const umask = process.umask(0o077);
  const child = spawn(cli, words, { stdio: ['ignore', output, output] });
  process.umask(umask);
  closeSync(output);
  const address = `127.0.0.1:${port}`;
  const ended = new Promise<never>((_, reject) => {
    child.once('error', (error) => reject(new Error(`The Temporal server cannot be started: ${error.message}`)));
    child.once('exit', (code, signal) =>
      reject(new ServerEndedError(`The Temporal server ended (${signal ?? code}):\n${tail(log)}`)),
    );
  });
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  try {
    const isAnswering = await Promise.race([answersWithin(timeoutMs, address, hasEnded), ended]);
    if (!isAnswering) throw new Error(`The Temporal server at ${address} does not answer`);
    if (!(await Promise.race([refusesHttp(httpPort), ended])))
      throw new Error(
        `The Temporal CLI at ${cli} is too old: its server lets any page in a browser start workflows by HTTP. ` +
          'Update it (https://docs.temporal.io/cli), or let TEMPORAL_CLI_PATH name a newer one',
      );
  } catch (error) {
    child.kill();
    throw error;
  } finally {
    // A later end is the caller's affair, and must not read the log, which may be gone by then.
    child.removeAllListeners('exit');
  }
  return { address, process: child };
}

/** Whether a server's HTTP API refuses what comes, as it is told to. It is asked for what every version of it can list. */
async function refusesHttp(port: number): Promise<boolean> {
  // Whoever imports it has Node load `fetch` too, a tenth of what a command takes of the processor.
  const { get } = await import('node:http');
  const request = get({ host: '127.0.0.1', port, path: '/api/v1/namespaces', agent: false });
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.destroy();
    return response.statusCode === 403;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return true;
    throw error;
  }
}

/** Whether a Temporal server answers within some milliseconds. @param isOver whether to give up before that */
export async function answersWithin(ms: number, address: string, isOver = (): boolean => false): Promise<boolean> {
  const deadline = Date.now() + ms;
  while (!isOver()) {
    if (await answers(address)) return true;
    if (Date.now() > deadline) return false;
    await pause(50);
  }
  return false;
}

/** Whether a Temporal server answers here, asked by gRPC without a library, which would be most of a home's daemon. */
export async function answers(address: string): Promise<boolean> {
  const session = connectHttp2(`http://${address}`);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), answerPatienceMs);
  const no = (): void => resolve(false);
  const path = '/temporal.api.workflowservice.v1.WorkflowService/GetSystemInfo';
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
  const request = session.on('error', no).request(headers);
  request.on('error', no).once('close', no).resume();
  // An answer without a message has the status among its headers.
  request.once('trailers', ({ 'grpc-status': status }) => resolve(status === '0'));
  // A message without fields: not compressed, and 0 bytes long.
  request.end(Buffer.alloc(5));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    session.destroy();
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
