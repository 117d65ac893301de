import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerCodec, longestRequest, type CodecRoute } from './codec-server.ts';

export interface CodecServer {
  /** Such as `http://127.0.0.1:8234`. */
  address: string;
  close(): Promise<void>;
}

/**
 * Serves Temporal's remote codec protocol over HTTP. On the loopback address it asks for no token but is only asked under
 * this machine's own names.
 *
 * @param port 0 for any
 * @throws where the port is taken
 */
export async function serveCodec(host: string, port: number, route: Omit<CodecRoute, 'hosts'>): Promise<CodecServer> {
  const server = createServer((request, response) => {
    const { port: own } = server.address() as AddressInfo;
    const hosts = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${own}`);
    const checked = route.token === undefined ? { ...route, hosts } : route;
    // Whoever goes away before the answer gets none.
    answer(request, response, checked).catch(() => response.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${own}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(incoming: IncomingMessage, outgoing: ServerResponse, route: CodecRoute): Promise<void> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of incoming as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    // Reading on lets the refusal arrive, and keeps nothing of what is too long.
    if (bytes <= longestRequest) pieces.push(piece);
  }
  const headers = new Headers(incoming.headers as Record<string, string>);
  headers.set('content-length', String(bytes));
  const { method = 'GET', url = '/' } = incoming;
  const isRead = bytes > 0 && bytes <= longestRequest && !['GET', 'HEAD'].includes(method);
  const request = new Request(new URL(url, 'http://codec'), {
    method,
    headers,
    ...(isRead && { body: Buffer.concat(pieces) }),
  });
  const response = await answerCodec(request, route);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(Buffer.from(await response.arrayBuffer()));
}
