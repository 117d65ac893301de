import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpDoorMessage, HttpServerMessage } from './http-door.ts';

interface Taking {
  /** Serves a connection. */
  take: (socket: Socket) => void;
  /** When an answer was under way last, in milliseconds since 1970: now, while one is; 0 where none was. */
  usedAt: () => number;
}

const pollIntervalMs = 5000;

/** How long nothing is answered before a process that is to end does so, in milliseconds. */
const quietMs = 500;

/**
 * Takes the connections that the daemon of a home has accepted, in a process that it has begun for that.
 *
 * @param idleLimitMs how long nothing may be answered until the daemon is told that this process may end
 * @returns when it is to end: all answers are whole and no connection comes any more, or the daemon has died
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
    await pause(Math.min(pollIntervalMs, idleLimitMs / 4), undefined, { ref: false, signal }).catch(() => {});
    if (Date.now() - Math.max(saidAt, usedAt()) < idleLimitMs) continue;
    tell('idle');
    saidAt = Date.now();
  }
  if (process.connected) process.disconnect();
}

const tell = (message: HttpServerMessage): void => void process.send?.(message);
