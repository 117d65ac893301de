import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { isOutOfOrder } from '../../src/store/open-store.ts';
import { isUnavailable, openPostgresStore, PostgresUnavailableError } from '../../src/store/postgres.ts';

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

test('a server without TLS where the address asks for it is out of order, and named', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end('N')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const store = openPostgresStore(`postgres://reprise:secret@127.0.0.1:${port}/reprise?sslmode=verify-full`);
  await expect(store.identity()).rejects.toThrow(
    `The store, PostgreSQL at 127.0.0.1:${port}/reprise, cannot be used: The server does not support SSL`,
  );
  await store.close();
  server.close();
});

test.each(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])(
  'a certificate that is no good (%s) is waited for, and says that somebody has to change something',
  (code) => {
    const error = Object.assign(new Error('no good'), { code });
    expect(isUnavailable(error)).toBe(true);
    expect(new PostgresUnavailableError('PostgreSQL at x', error).isRefusal).toBe(true);
  },
);
