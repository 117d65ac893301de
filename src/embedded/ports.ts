import { createServer } from 'node:net';

/** Finds a free port: the wanted one if it is free, else one that the system chooses. */
export async function freePort(wanted = 0): Promise<number> {
  for (const port of [wanted, 0]) {
    const found = await listen(port);
    if (found !== undefined) return found;
  }
  throw new Error('No port is free');
}

function listen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
