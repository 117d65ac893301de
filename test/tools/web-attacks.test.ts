import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isPublic } from '../../src/tools/builtin/web/addresses.ts';
import { fetchBytes } from '../../src/tools/builtin/web/fetch.ts';
import { stallOf } from '../support/stall.ts';
import { toolBench } from '../support/tool-bench.ts';

describe('an address that is not for the public', () => {
  test.each([
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.1',
      '10.255.255.255',
      '100.64.0.1',
      '100.127.255.255',
      '127.0.0.1',
      '127.255.0.1',
    ],
    // The addresses at which clouds answer their own machines: AWS, GCP and Azure; Alibaba; Oracle; Azure's wire server.
    ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
    ...['fd00:ec2::254', 'fd20:ce::254'],
    ...['172.16.0.1', '172.31.255.255', '192.168.0.1', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.19.255.255'],
    ...['198.51.100.7', '203.0.113.7', '224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::2', 'fc00::1', 'fdff::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '100::1', '4000::1'],
    // IPv4 within IPv6: mapped, compatible, translated (NAT64, also of one's own), 6to4, Teredo, ORCHID.
    ...[
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::ffff:10.0.0.1',
      '::127.0.0.1',
      '::ffff:0:127.0.0.1',
      '::ffff:168.63.129.16',
    ],
    ...['64:ff9b::7f00:1', '64:ff9b::169.254.169.254', '64:ff9b:1::7f00:1', '2002:7f00:1::', '2002:a9fe:a9fe::1'],
    ...['2001::7f00:1', '2001:0:7f00:1::', '2001:10::1', '2001:20::1', '2001:db8::1', '3fff::1', '5f00::1'],
    ...['', 'localhost', '127.1', '0x7f000001', '2130706433', '127.0.0.1 ', '[::1]'],
  ])('is refused: %s', (address) => {
    expect(isPublic(address)).toBe(false);
  });

  test.each(['168.63.129.15', '168.63.129.17', '100.128.0.1', '172.32.0.1', '192.0.1.1', '11.0.0.1', '2a00:1450::1'])(
    'unlike its neighbour %s',
    (address) => {
      expect(isPublic(address)).toBe(true);
    },
  );
});

describe('an address by which fetch_page is to reach what is not for the public', () => {
  /** Whatever is reached by these addresses would answer here. */
  let reached = 0;
  const servers = ['127.0.0.1', '::1'].map((host) => ({
    host,
    server: createServer((_, response) => response.end('in')),
  }));
  const bench = toolBench();
  let port = 0;
  beforeAll(async () => {
    for (const { host, server } of servers) {
      server.on('connection', () => (reached += 1)).listen(port, host);
      await Promise.race([once(server, 'listening'), once(server, 'error')]);
      port = (server.address() as AddressInfo | null)?.port ?? port;
    }
  });
  afterAll(async () => {
    for (const { server } of servers) server.close();
    await bench.close();
  });

  test.each([
    ...['http://127.0.0.1:PORT/', 'http://127.1:PORT/', 'http://127.0.1:PORT/', 'http://2130706433:PORT/'],
    ...['http://0x7f000001:PORT/', 'http://0x7f.0.0.1:PORT/', 'http://0177.0.0.1:PORT/', 'http://017700000001:PORT/'],
    ...['http://0:PORT/', 'http://0.0.0.0:PORT/', 'http://127.0.0.1.:PORT/', 'http://%31%32%37.0.0.1:PORT/'],
    ...['http://１２７.０.０.１:PORT/', 'http://127。0。0。1:PORT/', 'http://①②⑦.0.0.1:PORT/'],
    ...['http://[::1]:PORT/', 'http://[0:0:0:0:0:0:0:1]:PORT/', 'http://[::ffff:127.0.0.1]:PORT/', 'http://[::]:PORT/'],
    ...['http://[::ffff:7f00:1]:PORT/', 'http://[64:ff9b::7f00:1]:PORT/', 'http://[2002:7f00:1::]:PORT/'],
    ...['http://[fe80::1%25lo]:PORT/', 'http://localhost:PORT/', 'http://LOCALHOST:PORT/', 'http://localhost.:PORT/'],
    ...['http://a.localhost:PORT/', 'http://ｌocalhost:PORT/', 'http://loc\talhost:PORT/', 'http://local\nhost:PORT/'],
    ...['http://169.254.169.254/latest/meta-data/', 'http://metadata.google.internal/', 'http://168.63.129.16/machine'],
    ...['http://100.100.100.200/latest/', 'http://192.0.0.192/opc/v2/', 'http://[fd00:ec2::254]/latest/'],
    ...['http://user:secret@127.0.0.1:PORT/', 'http://example.com@127.0.0.1:PORT/', 'http://127.0.0.1:PORT@localhost/'],
    ...['http:127.0.0.1:PORT/', 'http:/127.0.0.1:PORT', 'http:\\\\127.0.0.1:PORT\\', 'https://127.0.0.1:PORT/'],
    ...['//127.0.0.1:PORT/', '127.0.0.1:PORT', ' http://127.0.0.1:PORT/ ', 'http://127.0.0.1:PORT#@example.com/'],
    ...['file:///etc/passwd', 'file://localhost/etc/passwd', 'data:text/html,<p>in', 'gopher://127.0.0.1:PORT/_GET'],
    ...['ftp://127.0.0.1:PORT/', 'ws://127.0.0.1:PORT/', 'javascript:fetch("/")', 'blob:http://127.0.0.1:PORT/a'],
    ...[
      'unix:/var/run/docker.sock',
      'http://unix:/var/run/docker.sock',
      'about:blank',
      'view-source:http://127.0.0.1/',
    ],
    ...[
      '',
      'http://',
      'http://:PORT/',
      'http://127.0.0.1:99999/',
      'http://127.0.0.1:-1/',
      'http://[::1',
      '/etc/passwd',
    ],
  ])('is an error that says why: %j', async (address) => {
    const tool = { name: 'fetch_page', source: { package: 'builtin.web' } };
    const result = await bench.call(tool, { url: address.replaceAll('PORT', String(port)) }).result;
    expect(result.status).toBe('error');
    expect(result.text).not.toContain('secret');
    expect(reached).toBe(0);
  });
});

/** The public internet of these tests is one address. */
const rule = (address: string): boolean => address === '127.0.0.1';
const settings = { rule, signal: new AbortController().signal, maxBytes: 2_000_000 };

describe('a name whose addresses change', () => {
  const { lookup } = dns;
  /** What the DNS says, one answer after the other; the last one again and again. */
  let answers: string[][] = [];
  let asked = 0;
  const server = createServer((request, response) => {
    if (request.url === '/again') response.writeHead(302, { location: '/' });
    response.end('out');
  });
  let base = '';
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://rebind.example:${(server.address() as AddressInfo).port}`;
    // The code imports `lookup` by its name, which follows what the module has only when it is told to.
    dns.lookup = ((_: string, __: object, callback: (...result: unknown[]) => void) => {
      const found = (answers.length > 1 && asked > 0 ? answers.splice(0, 1) && answers[0] : answers[0]) ?? [];
      asked += 1;
      callback(
        null,
        found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    }) as typeof dns.lookup;
    syncBuiltinESMExports();
  });
  afterAll(() => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
    server.close();
  });
  afterEach(() => (asked = 0));

  test('is looked up once, and the connection goes to what was checked', async () => {
    answers = [['127.0.0.1'], ['127.0.0.2']];
    expect((await fetchBytes(base, settings)).bytes.toString()).toBe('out');
    expect(asked).toBe(1);
  });

  test.each([
    ['to one that is refused', [['127.0.0.2']], ''],
    ['to several, of which one is refused', [['127.0.0.1', '127.0.0.2']], ''],
    ['to a refused one of IPv6 as well', [['127.0.0.1', '::1']], ''],
    ['only after a redirect', [['127.0.0.1'], ['127.0.0.2']], '/again'],
  ])('is not fetched where it leads %s', async (_, found, path) => {
    answers = found;
    await expect(fetchBytes(base + path, settings)).rejects.toMatchObject({
      name: 'ToolError',
      message: expect.stringMatching(/^rebind\.example is not on the public internet \((127\.0\.0\.2|::1)\)/),
    });
  });

  test('is not fetched where it leads nowhere', async () => {
    answers = [[]];
    await expect(fetchBytes(base, settings)).rejects.toMatchObject({
      name: 'ToolError',
      message: 'rebind.example has no address',
    });
  });
});

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

  const failing = async (path: string, behaviour: Behaviour, patienceMs?: number): Promise<Error> => {
    behaviours[path] = behaviour;
    const fetched = fetchBytes(base + path, { ...settings, ...(patienceMs && { patienceMs }) });
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
  const attacks: Array<[what: string, behaviour: Behaviour, message: RegExp, patienceMs?: number]> = [
    [
      'redirects in a circle',
      (response) => response.writeHead(302, { location: '/attack' }).end(),
      /more than 5 times/,
    ],
    [
      'redirects without end',
      (response) => response.writeHead(307, { location: `/attack?${hops++}` }).end(),
      /more than 5 times/,
    ],
    [
      'a redirect with an endless body',
      (response) => {
        response.writeHead(302, { location: 'http://127.0.0.2/' });
        forEver((more) => response.write('x'.repeat(10_000), more));
      },
      /^127\.0\.0\.2 is not on/,
    ],
    [
      'a body without end',
      (response) => {
        response.writeHead(200, text);
        forEver((more) => response.write('x'.repeat(100_000), more));
      },
      /has over 2,000,000 bytes$/,
    ],
    [
      'a slow drip',
      (response) => {
        response.writeHead(200, text);
        forEver((more) => void setTimeout(() => response.write('x', more), 10));
      },
      /took more than 0\.5 seconds$/,
      500,
    ],
    ['silence', () => {}, /took more than 0\.5 seconds$/, 500],
    [
      'a head and then silence',
      (response) => response.writeHead(200, text).flushHeaders(),
      /took more than 0\.5 s/,
      500,
    ],
    [
      'informational answers without end',
      (_, socket) => forEver((more) => socket.write('HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n', more)),
      /took more than 0\.5 seconds$/,
      500,
    ],
    [
      'headers without end',
      (_, socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        forEver((more) => socket.write(`X-${'a'.repeat(1000)}: ${'b'.repeat(1000)}\r\n`, more));
      },
      /cannot be fetched: .*overflow/i,
    ],
    [
      'one header without end',
      (_, socket) => {
        socket.write('HTTP/1.1 200 OK\r\nX: ');
        forEver((more) => socket.write('b'.repeat(1000), more));
      },
      /cannot be fetched: .*overflow/i,
    ],
    ['no HTTP at all', (_, socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'), /cannot be fetched/],
    [
      'two answers in one',
      (_, socket) =>
        socket.end(
          'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nHTTP/1.1 200 OK\r\n',
        ),
      /cannot be fetched/,
    ],
    [
      'a body that breaks off',
      (response, socket) => {
        response.writeHead(200, { ...text, 'content-length': 100 });
        response.write('x', () => socket.destroy());
      },
      /cannot be fetched/,
    ],
    [
      'a gzip bomb',
      (response) => response.writeHead(200, { ...text, 'content-encoding': 'gzip' }).end(zipped),
      /has over 2,000,000/,
    ],
    [
      'a brotli bomb',
      (response) => response.writeHead(200, { ...text, 'content-encoding': 'br' }).end(brotli),
      /has over 2,000,000/,
    ],
    [
      'a bomb in a bomb',
      (response) => response.writeHead(200, { ...text, 'content-encoding': 'gzip, gzip' }).end(gzipSync(zipped)),
      /is packed in a way that is not read \(gzip, gzip\)/,
    ],
    [
      'what is no gzip',
      (response) => response.writeHead(200, { ...text, 'content-encoding': 'gzip' }).end('x'),
      /cannot be fetched/,
    ],
    [
      'a gzip that is cut off',
      (response) =>
        response
          .writeHead(200, { ...text, 'content-encoding': 'gzip' })
          .end(gzipSync('x'.repeat(1000)).subarray(0, 20)),
      /cannot be fetched/,
    ],
    [
      'a name of a file that is a path',
      (response) => response.writeHead(404, { 'content-disposition': 'filename=../../x' }).end(),
      /status 404/,
    ],
    [
      'a switch to another protocol',
      (_, socket) => socket.end('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
      /cannot be fetched|status 101/,
    ],
  ];
  test.each(attacks)('by %s is given up, and holds nothing up', async (_, behaviour, message, patienceMs) => {
    let error = new Error('not tried');
    const longest = await stallOf(async () => {
      error = await failing('/attack', behaviour, patienceMs);
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
