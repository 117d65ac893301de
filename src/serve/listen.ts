import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';

/**
 * How long a request may take to arrive, how long a connection is kept for the next one, and how many connections may be
 * without a whole request. Balancers keep theirs for a minute: who closes first may close what the other is just using.
 * More than a thousand come at once when the server has died whose run they follow, and many systems let a process open
 * no more than 4096 files.
 */
const limits = { headersMs: 10_000, requestMs: 60_000, idleMs: 75_000, waiting: 2000 };

type Fetch = (request: Request) => Response | Promise<Response>;

export interface Listening {
  /** For connections that somebody else has accepted. */
  take(socket: Socket): void;
  /** The port; 0 where it takes connections of others alone. */
  port: number;
  /** How many connections are open. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Serves requests over HTTP.
 *
 * @param place where to listen; absent: nowhere, only connections that it is given are served
 * @throws where the port is taken
 */
export async function listen(fetch: Fetch, place?: { host: string; port: number }): Promise<Listening> {
  const answer = getRequestListener(fetch, { overrideGlobalObjects: false });
  const times = { headersTimeout: limits.headersMs, requestTimeout: limits.requestMs, keepAliveTimeout: limits.idleMs };
  const server = createServer(
    { ...times, connectionsCheckingInterval: 1000 },
    (incoming, outgoing) => void answer(incoming, outgoing),
  );
  boundWaiting(server);
  if (place !== undefined) {
    server.listen(place.port, place.host);
    await once(server, 'listening');
  }
  const { port = 0 } = (server.address() as AddressInfo | null) ?? {};
  return {
    take: (socket) => void server.emit('connection', socket),
    port,
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    async close() {
      const closed = server.listening ? once(server, 'close') : undefined;
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Of connections whose next request has not arrived, the oldest make room for new ones: whoever opens thousands keeps nobody
 * out.
 */
function boundWaiting(server: Server): void {
  const waiting = new Set<Socket>();
  const wait = (socket: Socket): void => {
    waiting.add(socket);
    const [oldest] = waiting;
    if (waiting.size > limits.waiting) oldest?.destroy();
  };
  server.on('connection', (socket: Socket) => {
    wait(socket);
    socket.once('close', () => waiting.delete(socket));
  });
  server.on('request', (request, response) => {
    const { headers, socket } = request;
    const { 'content-length': length = 0, 'transfer-encoding': coding } = headers;
    waiting.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) wait(socket);
    });
    if (coding === undefined && Number(length) === 0) return;
    wait(socket);
    request.once('end', () => waiting.delete(socket));
  });
}
