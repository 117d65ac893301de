import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { listenNear } from './ports.ts';
import { startModule } from './start-module.ts';

/** What a server that takes connections of its home's daemon tells it. `taken`: it has the connection of this number. */
type HttpServerMessage = 'ready' | 'idle' | { taken: number };

/** What the daemon tells it: the number of a connection, which comes with it, or that none comes any more. */
type HttpDoorMessage = { connection: number } | 'end';

export type HttpDoor = { port: number; close(): Promise<void> };

/** How many connections wait for a server that begins; further ones are closed. */
const mostWaiting = 2000;

/**
 * Accepts connections to a home's HTTP server, and begins the server, a process of its own, when the first one comes. While a
 * server that has died is begun again they wait, so that none is refused.
 */
export async function openHttpDoor(
  home: string,
  configs: string,
  wanted: number,
  variables: NodeJS.ProcessEnv,
): Promise<HttpDoor> {
  let child: ChildProcess | undefined;
  let isReady = false;
  let isClosed = false;
  let count = 0;
  /** By numbers, connections that no server has taken yet: one that dies takes none of them with it. */
  const waiting = new Map<number, Socket>();
  const pass = (number: number, socket: Socket, to: ChildProcess): void =>
    void to.send({ connection: number } satisfies HttpDoorMessage, socket, { keepOpen: true }, () => {});

  const drop = (): void => {
    for (const socket of waiting.values()) socket.destroy();
    waiting.clear();
  };

  const begin = (): void => {
    const words = ['serve', '--inherited', '--port', String(port), '--configs', configs];
    const log = join(home, 'logs', 'serve.log');
    const own = startModule('cli/main', words, { log, hasChannel: true, env: { ...variables, REPRISE_HOME: home } });
    child = own;
    isReady = false;
    own.on('message', (message: HttpServerMessage) => {
      if (message === 'ready') {
        isReady = true;
        for (const [number, socket] of waiting) pass(number, socket, own);
      } else if (message === 'idle') {
        if (waiting.size > 0) return;
        // One that comes from now on begins a new server, so that none goes to this one when it has ended.
        child = undefined;
        own.send('end' satisfies HttpDoorMessage);
      } else waiting.get(message.taken)?.destroy();
    });
    const over = (): void => {
      if (own !== child) return;
      child = undefined;
      // A server that cannot begin is not begun again for those who wait, but for the next who comes.
      if (!isReady) drop();
      else if (waiting.size > 0 && !isClosed) begin();
    };
    own.once('error', over);
    own.once('exit', over);
  };

  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on('error', () => {});
    if (isClosed || waiting.size >= mostWaiting) return void socket.destroy();
    const number = ++count;
    waiting.set(number, socket);
    socket.once('close', () => waiting.delete(number));
    if (child === undefined) begin();
    else if (isReady && child.connected) pass(number, socket, child);
  });
  const port = await listenNear(wanted, () => server);
  return {
    port,
    async close() {
      isClosed = true;
      drop();
      server.close();
      const last = child;
      if (last?.exitCode !== null || last.signalCode !== null) return;
      last.kill('SIGTERM');
      await once(last, 'exit');
    },
  };
}

interface Taking {
  take: (socket: Socket) => void;
  /** When an answer was under way last, in milliseconds since 1970: now, while one is; 0 where none was. */
  usedAt: () => number;
}

/** How long nothing is answered before a process that is to end does so, in milliseconds. */
const quietMs = 500;

/**
 * Takes the connections that the daemon of a home has accepted, in a process that it has begun for that.
 *
 * @param idleLimitMs how long nothing may be answered until the daemon is told that this process may end
 * @returns when all answers are whole and no connection comes any more, or the daemon has died
 */
export async function takeConnections({ take, usedAt }: Taking, idleLimitMs: number): Promise<void> {
  const over = new AbortController();
  const answered = async (): Promise<void> => {
    // What was passed on last may have asked nothing yet.
    do await pause(quietMs);
    while (Date.now() - usedAt() < quietMs);
  };
  process.on('message', (message: HttpDoorMessage, socket?: Socket) => {
    // Connections that the daemon has passed on before it knew have come before this.
    if (message === 'end') return void answered().then(() => over.abort());
    tell({ taken: message.connection });
    // There is none where the client has gone on the way here.
    if (socket === undefined) return;
    take(socket);
    socket.resume();
  });
  process.once('disconnect', () => over.abort());
  tell('ready');
  for (let saidAt = Date.now(); !over.signal.aborted;) {
    const { signal } = over;
    await pause(Math.min(5000, idleLimitMs / 4), undefined, { ref: false, signal }).catch(() => {});
    if (Date.now() - Math.max(saidAt, usedAt()) < idleLimitMs) continue;
    tell('idle');
    saidAt = Date.now();
  }
  if (process.connected) process.disconnect();
}

const tell = (message: HttpServerMessage): void => void process.send?.(message);
