import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Finds a free port: the wanted one if it is free, else one that the system chooses. */
export async function freePort(wanted = 0): Promise<number> {
  const found = (await listen(wanted)) ?? (await listen(0));
  if (found === undefined) throw new Error('No port is free');
  return found;
}

const lastPort = 65_535;

const mostPorts = 8;

/**
 * Has a server listen, at the wanted port or at any: one that is only found to be free may be taken meanwhile.
 *
 * @param serverAt makes the server, which may have to know its port
 */
export async function listenNear(wanted: number, serverAt: (port: number) => Server): Promise<number> {
  for (let port = await freePort(wanted), tries = 1; ; port = await freePort(), tries++) {
    try {
      await once(serverAt(port).listen(port, '127.0.0.1'), 'listening');
      return port;
    } catch (error) {
      if (tries === mostPorts) throw error;
    }
  }
}

/**
 * Ports that no browser connects to: some of https://fetch.spec.whatwg.org/#port-blocking, without those that Chromium still
 * takes, and those of services that are in wide use.
 */
export const blockedPorts = [1719, 1720, 1723, 3659, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10080];

/** Free ports that browsers do not connect to, as many as there are and at most so many. */
export async function unreachablePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const left = [...blockedPorts];
  const found: number[] = [];
  while (found.length < count && left.length > 0) {
    // Servers that start at the same moment are not to find the same ones.
    const [port = 0] = left.splice(randomInt(left.length), 1);
    if ((await listen(port, host)) !== undefined) found.push(port);
  }
  return found;
}

/** Where a server listens that only programs of this machine are to find, and no page in a browser. */
export type HiddenPlace = { host: string; port: number };

/** Where no browser reaches a server: at a blocked port, on one of 16 million loopback addresses (macOS has but one). */
export async function hiddenPlace(): Promise<HiddenPlace> {
  const random = ['127', randomInt(256), randomInt(256), randomInt(1, 255)].join('.');
  for (const host of [random, '127.0.0.1']) {
    const [port] = await unreachablePorts(1, host);
    if (port !== undefined) return { host, port };
  }
  throw new Error('No port is free for the Web UI; end the Temporal server of another folder first (reprise down)');
}

async function listen(port: number, host = '127.0.0.1'): Promise<number | undefined> {
  if (port > lastPort) return undefined;
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
