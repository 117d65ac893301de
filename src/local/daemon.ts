/**
 * The process that keeps the server of a home folder: `node daemon.ts [--named] --temporal HOST:PORT --configs DIR --home HOME`.
 * It holds the folder's lock, runs Temporal and starts it again where it has died, serves the Web UI and its codec, accepts
 * connections to the HTTP server, and keeps the home's logs short. It ends at SIGTERM, with Temporal, and by itself when no
 * worker has used it for a while or its folder has gone. What it has to say goes to whoever has started it as long as that
 * lives, and then to its log.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { readKeys, type Keys } from '../encryption/keys.ts';
import type { CodecServer } from '../encryption/serve-codec.ts';
import { readEnvironment } from '../util/environment.ts';
import { keepLogsShort } from '../worker/rotation.ts';
import { openHttpDoor, type HttpDoor } from './http-door.ts';
import { databaseOf, endServers, isAnotherHomes, originsOf, portOf, type DaemonMessage } from './home-server.ts';
import { isHeld, readLastLease, takeLock, type ServerLease } from './lock.ts';
import { freePort, hiddenPlace, listenNear } from './ports.ts';
import { startServer, type RunningServer } from './server.ts';
import { findTemporalCli } from './temporal-cli.ts';
import { uiProxy } from './ui-proxy.ts';
import { idleMs, lastUse, liveWorkers } from './workers.ts';

const pollIntervalMs = 5000;

const text = { type: 'string', default: '' } as const;
const named = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { configs: text, home: text, temporal: text, named } });
const { configs, home, named: isNamed, temporal: asked } = values;

const tell = (message: DaemonMessage): Promise<void> =>
  new Promise((resolve) => {
    if (process.send) process.send(message, () => resolve());
    else resolve();
  });
const say = (line: string): void => {
  if (process.connected) void tell({ say: line });
  else console.error(line);
};
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Where nobody is in the way: the place of the daemon before, whose workers wait there where it has died, and whose pages a
 * person may have open, or else what is asked for. @returns the port, and the one that the Web UI should have
 */
async function choosePort(): Promise<{ port: number; wantedUi: number }> {
  const last = readLastLease(home);
  const isKept = last !== undefined && (!isNamed || last.asked === asked || last.address === asked);
  const wanted = portOf(isKept ? last.address : asked);
  let port = await freePort(wanted);
  // A process that has just ended may still have it.
  for (let looks = isKept ? 20 : 0; port !== wanted && looks > 0; looks--) {
    await pause(50);
    port = await freePort(wanted);
  }
  if (port !== wanted && (isNamed || !isAnotherHomes(asked, home)))
    say(`Port ${wanted} is taken; Temporal gets ${port}`);
  return { port, wantedUi: isKept ? portOf(last.uiAddress) : port + 1000 };
}

// Whoever asks whether the lock is held has it for a moment; then this one ends, and is started again.
const lock = takeLock<ServerLease>(home);
if (lock === undefined) process.exit();

const homeKeys = (): Keys => readKeys(readEnvironment(process.env));

/** The port of the codec server that belongs to a Web UI, so that every `up` of the folder finds it. */
const codecPort = (uiPort: number): number => uiPort + 2;

/** Decrypts for the folder's Web UI, if this process has a key. @throws where the port is taken */
async function serveHomeCodec(uiPort: number): Promise<CodecServer | undefined> {
  const keys = homeKeys();
  if (!keys.on) return undefined;
  // Temporal's types of messages take memory, which most homes need not spend.
  const { payloadCodec, tolerant } = await import('../encryption/codec.ts');
  const { serveCodec } = await import('../encryption/serve-codec.ts');
  const route = { codec: tolerant(payloadCodec(keys)), origins: originsOf(`http://127.0.0.1:${uiPort}`) };
  return serveCodec('127.0.0.1', codecPort(uiPort), route);
}

let isEnding = false;
let codec: CodecServer | undefined;
let http: HttpDoor | undefined;
/** Where the server's own Web UI listens at present. */
const ui = { host: '', port: 0 };

async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await Promise.all([codec?.close(), http?.close()]);
  // In the place of a home that has gone there may be another one by now, which has ended the server of this one.
  const isGone = lock?.isGone() ?? false;
  if (!isGone || !isHeld(home)) await endServers(home);
  lock?.release(!isGone);
  process.exit();
}
process.on('SIGTERM', () => void end());

async function open(port: number, uiPort: number): Promise<RunningServer> {
  const endpoint = homeKeys().on && `http://127.0.0.1:${codecPort(uiPort)}`;
  const cli = await findTemporalCli(say);
  const log = join(home, 'logs', 'temporal.log');
  Object.assign(ui, await hiddenPlace());
  return startServer({ cli, port, ui, ...(endpoint && { codecEndpoint: endpoint }), database: databaseOf(home), log });
}

/** Serves the Web UI, before there is anything behind it. @returns its port */
const openUi = (wanted: number): Promise<number> => listenNear(wanted, (port) => uiProxy(ui, port));

async function openFirst(): Promise<{ server: RunningServer; uiPort: number }> {
  const { port, wantedUi } = await choosePort();
  const uiPort = await openUi(wantedUi);
  try {
    return { server: await open(port, uiPort), uiPort };
  } catch (error) {
    // Another folder's server may have taken the port at the same moment.
    if ((await freePort(port)) === port) throw error;
    return { server: await open(await freePort(), uiPort), uiPort };
  }
}

async function reopen(port: number, uiPort: number): Promise<RunningServer> {
  for (;;) {
    try {
      return await open(port, uiPort);
    } catch (error) {
      say(reasonOf(error));
    }
    await pause(2000);
  }
}

async function serve(): Promise<void> {
  // One whose daemon was killed.
  await endServers(home);
  const httpPort = portOf(readLastLease(home)?.httpAddress ?? 'http://127.0.0.1:8234');
  const { server: first, uiPort } = await openFirst();
  let server = first;
  const { address } = server;
  const uiAddress = `http://127.0.0.1:${uiPort}`;
  codec = await serveHomeCodec(uiPort).catch((error: unknown) => {
    say(`The Web UI shows what is encrypted as it is: ${reasonOf(error)}`);
    return undefined;
  });
  http = await openHttpDoor(home, configs, httpPort, process.env).catch((error: unknown) => {
    say(`There is no HTTP server: ${reasonOf(error)}`);
    return undefined;
  });
  const httpAddress = http && `http://127.0.0.1:${http.port}`;
  for (;;) {
    const places = { address, asked, uiAddress, ...(httpAddress && { httpAddress }) };
    const ready: ServerLease = { pid: process.pid, ...places, serverPid: server.process.pid ?? 0 };
    lock?.describe(ready);
    await tell({ ready });
    const { exitCode, signalCode } = server.process;
    if (exitCode === null && signalCode === null) await once(server.process, 'exit');
    if (isEnding) return;
    if (lock?.isGone()) return end();
    say(`The Temporal server is gone; starting it again at ${address}`);
    server = await reopen(portOf(address), uiPort);
  }
}

/** Where its folder was moved, a command there starts another one, with all that is in it. */
async function endWhenUnused(): Promise<void> {
  let usedAt = Date.now();
  const idleLimitMs = idleMs(process.env);
  while (!lock?.isGone() && Date.now() - Math.max(usedAt, lastUse(home)) < idleLimitMs) {
    await pause(Math.min(pollIntervalMs, idleLimitMs / 4));
    if (liveWorkers(home).some(({ address }) => address === undefined)) usedAt = Date.now();
  }
  await end();
}

keepLogsShort(join(home, 'logs'));
void endWhenUnused();
try {
  await serve();
} catch (error) {
  if (!isEnding) await tell({ failed: reasonOf(error) });
  await end();
}
