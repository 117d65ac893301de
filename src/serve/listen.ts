import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';

/**
 * How long a request may take to arrive, how long a connection is kept for the next one, and how many may be without a whole
 * request. Balancers keep theirs for a minute: who closes first may close what the other is just using. More than a thousand
 * come at once when the server has died whose run they follow, and many systems let a process open no more than 4096 files.
 */
const limits = { headersMs: 10_000, requestMs: 60_000, idleMs: 75_000, waiting: 2000 };

export interface Listening {
  /** For connections that somebody else has accepted. */
  take(socket: Socket): void;
  /** The port; 0 where it takes connections of others alone. */
  port: number;
  /** When an answer was under way last, in milliseconds since 1970: now, while one is; 0 where none was. */
  usedAt(): number;
  close(): Promise<void>;
}

/** Serves requests over HTTP. @param place where to listen; absent: only connections that it is given @throws where it is taken */
export async function listen(
  fetch: (request: Request) => Response | Promise<Response>,
  place?: { host: string; port: number },
): Promise<Listening> {
  const answer = getRequestListener(fetch, { overrideGlobalObjects: false });
  const times = { headersTimeout: limits.headersMs, requestTimeout: limits.requestMs, keepAliveTimeout: limits.idleMs };
  const server = createServer(
    { ...times, connectionsCheckingInterval: 1000 },
    (incoming, outgoing) => void answer(incoming, outgoing),
  );
  const usedAt = followConnections(server);
  if (place !== undefined) {
    server.listen(place.port, place.host);
    await once(server, 'listening');
  } else {
    // Only a server that listens follows its connections, which is what ends those that do not ask in time.
    server.emit('listening');
  }
  const { port = 0 } = (server.address() as AddressInfo | null) ?? {};
  return {
    take: (socket) => void server.emit('connection', socket),
    port,
    usedAt,
    async close() {
      const closed = server.listening ? once(server, 'close') : undefined;
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** How many requests of a connection have not come whole, and how many answers are under way. */
interface Connection {
  coming: number;
  answering: number;
}

/**
 * Of connections that wait for a request, or for the rest of one, the oldest make room for new ones: whoever opens thousands
 * keeps nobody out. @returns `usedAt`
 */
function followConnections(server: Server): Listening['usedAt'] {
  const open = new Map<Socket, Connection>();
  const waiting = new Set<Socket>();
  let answeredAt = 0;
  const change = (socket: Socket, by: Partial<Connection>): void => {
    const connection = open.get(socket);
    if (connection === undefined) return;
    connection.coming += by.coming ?? 0;
    connection.answering += by.answering ?? 0;
    if (connection.coming === 0 && connection.answering > 0) return void waiting.delete(socket);
    waiting.add(socket);
    const [oldest] = waiting;
    if (waiting.size > limits.waiting) oldest?.destroy();
  };
  server.on('connection', (socket: Socket) => {
    open.set(socket, { coming: 0, answering: 0 });
    change(socket, {});
    socket.once('close', () => {
      open.delete(socket);
      waiting.delete(socket);
    });
  });
  server.on('request', (request, response) => {
    const { headers, socket } = request;
    const { 'content-length': length = 0, 'transfer-encoding': coding } = headers;
    const coming = coding === undefined && Number(length) === 0 ? 0 : 1;
    change(socket, { coming, answering: 1 });
    // A body that nobody reads ends after its answer.
    if (coming > 0) request.once('end', () => change(socket, { coming: -1 }));
    response.once('close', () => {
      answeredAt = Date.now();
      change(socket, { answering: -1 });
    });
  });
  return () => ([...open.values()].some(({ answering }) => answering > 0) ? Date.now() : answeredAt);
}
