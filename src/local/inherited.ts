import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpDoorMessage, HttpServerMessage } from './http-door.ts';

interface Taking {
  /** Serves a connection. */
  take: (socket: Socket) => void;
  /** How many connections are served. */
  connections: () => Promise<number>;
}

const pollIntervalMs = 5000;

/**
 * Takes the connections that the daemon of a home has accepted, in a process that it has begun for that.
 *
 * @param idleLimitMs how long there may be none until the daemon is told that this process may end
 * @returns when it is to end: all connections are closed and none comes any more, or the daemon has died
 */
export async function takeConnections({ connections, take }: Taking, idleLimitMs: number): Promise<void> {
  const over = new AbortController();
  process.on('message', (message: HttpDoorMessage, socket?: Socket) => {
    // Connections that the daemon has passed on before it knew have come before this.
    if (message === 'end') return void untilNone(connections).then(() => over.abort());
    tell({ taken: message.connection });
    // There is none where the client has gone on the way here.
    if (socket === undefined) return;
    take(socket);
    socket.resume();
  });
  process.once('disconnect', () => over.abort());
  tell('ready');
  for (let usedAt = Date.now(); !over.signal.aborted;) {
    const { signal } = over;
    await pause(Math.min(pollIntervalMs, idleLimitMs / 4), undefined, { ref: false, signal }).catch(() => {});
    if ((await connections()) > 0) usedAt = Date.now();
    else if (Date.now() - usedAt >= idleLimitMs) {
      tell('idle');
      usedAt = Date.now();
    }
  }
  if (process.connected) process.disconnect();
}

const tell = (message: HttpServerMessage): void => void process.send?.(message);

async function untilNone(connections: () => Promise<number>): Promise<void> {
  while ((await connections()) > 0) await pause(50);
}
