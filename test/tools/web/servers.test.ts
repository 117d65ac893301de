import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchBytes } from '../../../src/tools/web/fetch.ts';
import { stallOf } from '../../support/stall.ts';

/** The public internet of these tests is one address. */
const rule = (address: string): boolean => address === '127.0.0.1';
const settings = { rule, signal: new AbortController().signal, maxBytes: 2_000_000 };

describe('a server that means ill', () => {
  const sockets = new Set<Socket>();
  type Behaviour = (response: ServerResponse, socket: Socket) => void;
  const behaviours: Record<string, Behaviour> = {};
  const server = createServer((request, response) =>
    behaviours[(request.url ?? '').replace(/\?.*/, '')]?.(response, request.socket),
  );
  server.on('connection', (socket) => sockets.add(socket));
  let base = '';
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const failing = async (path: string, behaviour: Behaviour, timeoutMs?: number): Promise<Error> => {
    behaviours[path] = behaviour;
    const fetched = fetchBytes(base + path, { ...settings, ...(timeoutMs && { timeoutMs }) });
    return fetched.then(
      () => new Error('it was fetched'),
      (error: Error) => error,
    );
  };
  const text = { 'content-type': 'text/plain' };
  /** Goes on for as long as somebody listens. */
  const forEver = (write: (done: (error?: Error | null) => void) => void): void => {
    const more = (error?: Error | null): void => void (error ? undefined : setImmediate(write, more));
    more();
  };

  test.each<[to: string, message: RegExp]>([
    ['http://127.0.0.2/', /^127\.0\.0\.2 is not on/],
    ['http://169.254.169.254/latest/', /^169\.254\.169\.254 is not on/],
    ['//[::1]/', /^\[::1\] is not on/],
    ['http://2130706434/', /^127\.0\.0\.2 is not on/],
    ['http://localhost./', /^localhost\. (is not on|cannot)|localhost/],
    ['file:///etc/passwd', /only http and https/],
    ['data:text/plain,in', /only http and https/],
    ['gopher://127.0.0.1/_', /only http and https/],
    ['javascript:alert(1)', /only http and https/],
    ['http://name:secret@127.0.0.1/', /a name or a password is not fetched \(127\.0\.0\.1\)/],
    ['http://127.0.0.1:22/', /port 22 is for another protocol/],
    ['http://127.0.0.1:6667/', /port 6667 is for another protocol/],
    ['http://[', /is not a URL/],
    ['http://127.0.0.1:99999/', /is not a URL/],
  ])('by a redirect to %s', async (location, message) => {
    const error = await failing('/away', (response) => response.writeHead(302, { location }).end());
    expect(error).toMatchObject({ name: 'ToolError', message: expect.stringMatching(message) });
    expect(error.message).not.toContain('secret');
  });

  const zeros = Buffer.alloc(50_000_000);
  const [zipped, brotli] = [gzipSync(zeros), brotliCompressSync(zeros)];
  let hops = 0;
  const sends =
    (status: number, head: OutgoingHttpHeaders, body: Buffer | string = ''): Behaviour =>
    (response) =>
      response.writeHead(status, head).end(body);
  const packed = (encoding: string, body: Buffer | string) =>
    sends(200, { ...text, 'content-encoding': encoding }, body);
  /** Begins an answer, and goes on with these bytes. */
  const floods =
    (status: number, head: OutgoingHttpHeaders, bytes: number): Behaviour =>
    (response) => {
      response.writeHead(status, head);
      forEver((more) => response.write('x'.repeat(bytes), more));
    };
  const raw =
    (begin: string, piece: string): Behaviour =>
    (_, socket) => {
      socket.write(begin);
      forEver((more) => socket.write(piece, more));
    };
  const hint = 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n';
  const header = `X-${'a'.repeat(1000)}: ${'b'.repeat(1000)}\r\n`;
  const twice = 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n';
  const switching = 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n';
  const late = /took more than 0\.5 seconds$/;
  const attacks: Array<[what: string, behaviour: Behaviour, message: RegExp, timeoutMs?: number]> = [
    ['redirects in a circle', sends(302, { location: '/attack' }), /more than 5 times/],
    ['redirects without end', (...on) => sends(307, { location: `/attack?${hops++}` })(...on), /more than 5 times/],
    [
      'a redirect with an endless body',
      floods(302, { location: 'http://127.0.0.2/' }, 10_000),
      /^127\.0\.0\.2 is not on/,
    ],
    ['a body without end', floods(200, text, 100_000), /has over 2,000,000 bytes$/],
    [
      'a slow drip',
      (response) => {
        response.writeHead(200, text);
        forEver((more) => void setTimeout(() => response.write('x', more), 10));
      },
      late,
      500,
    ],
    ['silence', () => {}, late, 500],
    ['a head and then silence', (response) => response.writeHead(200, text).flushHeaders(), late, 500],
    ['informational answers without end', raw(hint, hint), late, 500],
    ['headers without end', raw('HTTP/1.1 200 OK\r\n', header), /cannot be fetched: .*overflow/i],
    ['one header without end', raw('HTTP/1.1 200 OK\r\nX: ', 'b'.repeat(1000)), /cannot be fetched: .*overflow/i],
    ['no HTTP at all', (_, socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'), /cannot be fetched/],
    ['two answers in one', (_, socket) => socket.end(`HTTP/1.1 200 OK\r\n${twice}`), /cannot be fetched/],
    [
      'a body that breaks off',
      (response, socket) => {
        response.writeHead(200, { ...text, 'content-length': 100 });
        response.write('x', () => socket.destroy());
      },
      /cannot be fetched/,
    ],
    ['a gzip bomb', packed('gzip', zipped), /has over 2,000,000/],
    ['a brotli bomb', packed('br', brotli), /has over 2,000,000/],
    ['a bomb in a bomb', packed('gzip, gzip', gzipSync(zipped)), /is packed in a way that is not read \(gzip, gzip\)/],
    ['what is no gzip', packed('gzip', 'x'), /cannot be fetched/],
    ['a gzip that is cut off', packed('gzip', gzipSync('x'.repeat(1000)).subarray(0, 20)), /cannot be fetched/],
    ['a name of a file that is a path', sends(404, { 'content-disposition': 'filename=../../x' }), /status 404/],
    ['a switch to another protocol', (_, socket) => socket.end(switching), /cannot be fetched|status 101/],
  ];
  test.each(attacks)('by %s is given up, and holds nothing up', async (_, behaviour, message, timeoutMs) => {
    let error = new Error('not tried');
    const longest = await stallOf(async () => {
      error = await failing('/attack', behaviour, timeoutMs);
    });
    expect(error).toMatchObject({ name: 'ToolError', message: expect.stringMatching(message) });
    expect(longest).toBeLessThan(500);
  });

  test('by answering before it is asked, on a connection of its own', async () => {
    const eager = createTcpServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nin'));
    eager.listen(0, '127.0.0.1');
    await once(eager, 'listening');
    const address = `http://127.0.0.1:${(eager.address() as AddressInfo).port}`;
    expect((await fetchBytes(address, settings)).bytes.toString()).toBe('in');
    eager.close();
  });
});
