import { once } from 'node:events';
import {
  connect,
  createSecureServer,
  createServer,
  type SecureServerOptions,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

/** A gRPC server that passes everything on, but for the services whose names it is given: there it denies permission. */
export interface RefusingProxy {
  address: string;
  /** Paths of all calls so far, such as `/temporal.api.workflowservice.v1.WorkflowService/PollActivityTaskQueue`. */
  calls: string[];
  close(): void;
}

/** What a proxy asks of its clients, as Temporal Cloud does. */
export interface Demands {
  /** Its certificate and key, and the authority whose certificates it accepts. */
  tls: Pick<SecureServerOptions, 'ca' | 'cert' | 'key'>;
  /** The API key that every call must have. */
  apiKey: string;
}

/** @param demands absent: it takes any client, without TLS */
export async function startRefusingProxy(target: string, refused: string[], demands?: Demands): Promise<RefusingProxy> {
  const calls: string[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const upstream = connect(`http://${target}`);
  const server = demands
    ? createSecureServer({ ...demands.tls, requestCert: true, rejectUnauthorized: true })
    : createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    const path = headers[':path'] ?? '';
    calls.push(path);
    stream.on('error', () => {});
    const isStranger = demands !== undefined && headers.authorization !== `Bearer ${demands.apiKey}`;
    if (isStranger || refused.some((service) => path.startsWith(`/${service}/`))) {
      const trailers = isStranger
        ? { 'grpc-status': '16', 'grpc-message': 'no such API key' }
        : { 'grpc-status': '7', 'grpc-message': 'not for you' };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...trailers }, { endStream: true });
      return;
    }
    const { ':authority': _, ':scheme': __, authorization: ___, ...rest } = headers;
    const onward = upstream.request(rest);
    onward.on('error', () => {});
    stream.on('close', () => onward.close());
    stream.pipe(onward);
    let trailers = {};
    onward.on('trailers', (received) => (trailers = received));
    onward.on('response', (received) => {
      if (stream.destroyed) return;
      stream.respond(received, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      onward.pipe(stream);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    close() {
      upstream.destroy();
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}
