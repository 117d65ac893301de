import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isPublic } from '../../../src/tools/web/addresses.ts';
import { fetchBytes } from '../../../src/tools/web/fetch.ts';
import { toolBench } from '../../support/tool-bench.ts';

describe('an address that is not for the public', () => {
  const refused = {
    'this network, loopback, private, shared': `0.0.0.0 0.1.2.3 127.0.0.1 127.255.0.1 10.0.0.1 10.255.255.255 172.16.0.1
      172.31.255.255 192.168.0.1 100.64.0.1 100.127.255.255`,
    // AWS, its containers, GCP and Azure have the first; then Alibaba, Oracle, and Azure's wire server.
    'where clouds answer their own machines': `169.254.169.254 169.254.170.2 100.100.100.200 192.0.0.192 168.63.129.16
      fd00:ec2::254 fd20:ce::254`,
    'documentation, benchmarks, multicast, reserved': `192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 198.51.100.7
      203.0.113.7 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255`,
    'the same of IPv6':
      ':: ::1 ::2 fc00::1 fdff::1 fe80::1 fe80::1%eth0 fec0::1 ff02::1 100::1 4000::1 2001:db8::1 3fff::1',
    // Mapped, compatible, translated (also by a network's own NAT64), 6to4, Teredo, ORCHID.
    'IPv4 within IPv6': `::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::127.0.0.1 ::ffff:0:127.0.0.1
      ::ffff:168.63.129.16 ::ffff:a83f:8110 64:ff9b::7f00:1 64:ff9b::169.254.169.254 64:ff9b:1::7f00:1 2002:7f00:1::
      2002:a9fe:a9fe::1 2001::7f00:1 2001:0:7f00:1:: 2001:10::1 2001:20::1 5f00::1`,
    'what is no address': 'localhost 127.1 0x7f000001 2130706433 [::1] nonsense',
  };
  const all = Object.entries(refused).flatMap(([what, list]) => list.split(/\s+/).map((each) => [what, each] as const));

  test.each(all)('is refused: %s, %s', (_, address) => {
    expect(isPublic(address)).toBe(false);
  });

  test.each(
    '93.184.215.14 8.8.8.8 168.63.129.15 100.128.0.1 172.32.0.1 192.0.1.1 ::ffff:8.8.8.8 2606:4700::1'.split(' '),
  )('unlike its neighbour %s', (address) => {
    expect(isPublic(address)).toBe(true);
  });
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

  const addresses = `http://127.0.0.1:PORT/ http://127.1:PORT/ http://127.0.1:PORT/ http://2130706433:PORT/ http://0x7f000001:PORT/
    http://0x7f.0.0.1:PORT/ http://0177.0.0.1:PORT/ http://017700000001:PORT/ http://0:PORT/ http://0.0.0.0:PORT/
    http://127.0.0.1.:PORT/ http://%31%32%37.0.0.1:PORT/ http://１２７.０.０.１:PORT/ http://127。0。0。1:PORT/
    http://①②⑦.0.0.1:PORT/ http://[::1]:PORT/ http://[0:0:0:0:0:0:0:1]:PORT/ http://[::ffff:127.0.0.1]:PORT/
    http://[::]:PORT/ http://[::ffff:7f00:1]:PORT/ http://[64:ff9b::7f00:1]:PORT/ http://[2002:7f00:1::]:PORT/
    http://[fe80::1%25lo]:PORT/ http://localhost:PORT/ http://LOCALHOST:PORT/ http://localhost.:PORT/
    http://a.localhost:PORT/ http://ｌocalhost:PORT/ http://169.254.169.254/latest/meta-data/
    http://metadata.google.internal/ http://168.63.129.16/machine http://100.100.100.200/latest/
    http://192.0.0.192/opc/v2/ http://[fd00:ec2::254]/latest/ http://user:secret@127.0.0.1:PORT/
    http://example.com@127.0.0.1:PORT/ http://127.0.0.1:PORT@localhost/ http:127.0.0.1:PORT/ http:/127.0.0.1:PORT
    https://127.0.0.1:PORT/ //127.0.0.1:PORT/ 127.0.0.1:PORT http://127.0.0.1:PORT#@example.com/ file:///etc/passwd
    file://localhost/etc/passwd data:text/html,<p>in gopher://127.0.0.1:PORT/_GET ftp://127.0.0.1:PORT/
    ws://127.0.0.1:PORT/ javascript:fetch("/") blob:http://127.0.0.1:PORT/a unix:/var/run/docker.sock
    http://unix:/var/run/docker.sock about:blank view-source:http://127.0.0.1/ http:// http://:PORT/
    http://127.0.0.1:99999/ http://127.0.0.1:-1/ http://[::1 /etc/passwd`;
  test.each([
    ...addresses.split(/\s+/),
    'http://loc\talhost:PORT/',
    'http://local\nhost:PORT/',
    'http:\\\\127.0.0.1:PORT\\',
    ' http://127.0.0.1:PORT/ ',
    '',
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
