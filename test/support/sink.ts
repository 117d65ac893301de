import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service that tools take effect at. */
export interface Sink {
  url: string;
  /** How often each key took effect; with `honoursKeys` at most once. */
  effects: Map<string, number>;
  /** Keys of all requests so far, in their order. */
  requests: string[];
  /** Lets it answer, from now on: until then every effect is had, and no request is acknowledged. */
  release(): void;
  close(): Promise<void>;
}

/** @param honoursKeys whether it knows a key again, as services with idempotency keys do */
export async function startSink(honoursKeys: boolean): Promise<Sink> {
  const effects = new Map<string, number>();
  const requests: string[] = [];
  const released = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const key = String(request.headers['idempotency-key']);
    const before = effects.get(key) ?? 0;
    effects.set(key, honoursKeys ? 1 : before + 1);
    requests.push(key);
    void released.promise.then(() => response.end('Booked'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    effects,
    requests,
    release: released.resolve,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
