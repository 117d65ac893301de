import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { listenNear } from './ports.ts';
import { startModule } from './start-module.ts';

/** What a server that takes connections of its home's daemon tells it. `taken`: it has the connection of this number. */
export type HttpServerMessage = 'ready' | 'idle' | { taken: number };

/** What the daemon tells it: the number of a connection, which comes with it, or that none comes any more. */
export type HttpDoorMessage = { connection: number } | 'end';

export interface HttpDoor {
  port: number;
  close(): Promise<void>;
}

/** How many connections wait for a server that begins; further ones are closed. */
const mostWaiting = 2000;

/**
 * Accepts connections to a home's HTTP server, and begins the server, a process of its own, when the first one comes. While a
 * server that has died is begun again they wait, so that none is refused.
 *
 * @param configs the folder of the configurations that its clients may name
 * @param wanted the port to listen at; another one where that is taken
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
