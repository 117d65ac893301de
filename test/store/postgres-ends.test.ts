import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { isOutOfOrder } from '../../src/store/out-of-order.ts';
import { openPostgresStore } from '../../src/store/postgres.ts';

/** A message of PostgreSQL's protocol. */
function message(kind: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(kind), length, body]);
}

const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const ended = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

// Vitest fails where an error has no listener.
test('a connection that is ended in the moment in which it is made is out of order, and nothing worse', async () => {
  // All at once, so that the end comes before anybody can know of the beginning.
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, ended])));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const store = openPostgresStore(`postgres://reprise:secret@127.0.0.1:${port}/reprise`);
  const error: unknown = await store.findReply('key', 'hash').catch((thrown: unknown) => thrown);
  expect(isOutOfOrder(error)).toBe(true);
  await store.close();
  server.close();
});
