import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to another address that can be cut: then nothing passes, and nobody is told, as when a cable is pulled. */
export interface Proxy {
  port: number;
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** @param target a port of this machine, where it is asked for at each connection */
export async function startProxy(target: () => number): Promise<Proxy> {
  const pairs = new Set<[Socket, Socket]>();
  let isCut = false;
  const server = createServer((inner) => {
    const outer = connect(target(), '127.0.0.1');
    const pair: [Socket, Socket] = [inner, outer];
    pairs.add(pair);
    const end = (): void => {
      // What ends while the way is cut is not heard of either until it is mended.
      if (isCut) return;
      for (const socket of pair) socket.destroy();
      pairs.delete(pair);
    };
    for (const [from, to] of [pair, [outer, inner] as const]) {
      from.on('data', (data) => to.write(data));
      from.on('error', end);
      from.on('close', end);
      if (isCut) from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      isCut = true;
      for (const socket of [...pairs].flat()) socket.pause();
    },
    mend() {
      isCut = false;
      for (const pair of pairs) {
        if (pair.some(({ destroyed }) => destroyed)) {
          for (const socket of pair) socket.destroy();
          pairs.delete(pair);
        } else {
          for (const socket of pair) socket.resume();
        }
      }
    },
    async close() {
      for (const socket of [...pairs].flat()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
