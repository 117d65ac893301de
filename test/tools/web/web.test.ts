import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchText } from '../../../src/tools/web/fetch.ts';
import { readDefinitions } from '../../../src/tools/read-definitions.ts';
import { pageTool } from '../../../src/tools/web/page.ts';
import { textOfHtml } from '../../../src/tools/web/content.ts';
import { toolBench } from '../../support/tool-bench.ts';

describe('fetch_page as agents have it', () => {
  const bench = toolBench();
  afterAll(() => bench.close());
  test.each([
    ['loopback', 'http://127.0.0.1:1/', /^127\.0\.0\.1 is not on the public internet/],
    ['a name that leads to it', 'http://localhost:4711/', /^localhost is not on the public internet \((127|::1)/],
    ['loopback in another notation', 'http://2130706433/', /^127\.0\.0\.1 is not on/],
    ['IPv6 loopback', 'http://[::1]:1/', /^\[::1\] is not on/],
    ['the address of a cloud’s keys', 'http://169.254.169.254/latest', /is not on the public internet/],
    ['a file', 'file:///etc/passwd', /only http and https are fetched/],
    ['no address', 'example', /is not a URL/],
  ])('refuses %s', async (_, url, message) => {
    const tool = { name: 'fetch_page', source: { package: 'builtin.web' } };
    expect(await bench.call(tool, { url }).result).toEqual({ status: 'error', text: expect.stringMatching(message) });
  });
});

describe('a page', () => {
  const bench = toolBench();
  afterAll(() => bench.close());
  const pages: Record<string, RequestListener> = {
    '/page': (_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end('<title>Rye</title><script>alert(1)</script><p>Twelve&nbsp;hours.</p>');
    },
    '/zipped': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      response.end(gzipSync('Zipped.'));
    },
    '/latin': (_, response) => {
      response.setHeader('content-type', 'text/plain; charset=iso-8859-1');
      response.end(Buffer.from('caf\u00e9', 'latin1'));
    },
    '/moved': (_, response) => response.writeHead(302, { location: '/page' }).end(),
    '/inward': (request, response) =>
      response.writeHead(302, { location: `http://127.0.0.2:${request.socket.localPort}/page` }).end(),
    '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
    '/picture': (_, response) => response.setHeader('content-type', 'image/png').end('PNG'),
    '/endless': (_, response) => {
      response.setHeader('content-type', 'text/plain');
      const more = (): void => void response.write('x'.repeat(100_000), (error) => error ?? more());
      more();
    },
    '/bomb': (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(20_000_000)));
    },
    '/silent': () => {},
  };
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (page === undefined) response.writeHead(404).end();
    else page(request, response);
  });
  let base = '';
  beforeAll(async () => {
    server.listen(0);
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  /** The public internet of this test is one address. */
  const onlyHere = (address: string): boolean => address === '127.0.0.1';
  const fetched = (path: string, signal = new AbortController().signal) =>
    fetchText(`${base}${path}`, onlyHere, signal);

  test('comes as text under its address', async () => {
    const { signal } = new AbortController();
    const given = { workflowId: 'w', agentId: 'a', idempotencyKey: 'k', signal };
    const [page] = readDefinitions([pageTool(bench.store, onlyHere)]).tools;
    expect(await page?.run({ url: `${base}/moved` }, given)).toBe(`${base}/page\n\nRye\nTwelve hours.`);
  });

  test.each([
    ['/zipped', 'Zipped.'],
    ['/latin', 'café'],
  ])('is read as it is sent: %s', async (path, text) => {
    expect(await fetched(path)).toMatchObject({ text, type: 'text/plain' });
  });

  test.each([
    ['a redirect to where nothing is fetched', '/inward', /^127\.0\.0\.2 is not on the public internet/],
    ['too many redirects', '/loop', /redirects more than 5 times/],
    ['a status that is no success', '/absent', /absent answered with status 404$/],
    ['what is no text', '/picture', /is no text but image\/png$/],
    ['what does not end', '/endless', /has over 2,000,000 bytes$/],
    ['what is small only until it is unpacked', '/bomb', /has over 2,000,000 bytes$/],
  ])('is a report where there is none: %s', async (_, path, message) => {
    await expect(fetched(path)).rejects.toMatchObject({ name: 'ToolError', message: expect.stringMatching(message) });
  });

  test('is given up with its signal', async () => {
    const controller = new AbortController();
    const asked = once(server, 'request');
    const result = fetched('/silent', controller.signal);
    await asked;
    controller.abort();
    await expect(result).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('the text of HTML', () => {
  test.each([
    ['blocks are lines', '<h1>Bread</h1><p>Rye.<br>Wheat.</p>', 'Bread\nRye.\nWheat.'],
    ['lists keep their items', '<ul><li>One<li>Two</ul>', '- One\n- Two'],
    ['and their numbers', '<ol><li>One<li>Two</ol>', ' 1. One\n 2. Two'],
    ['tables keep their cells', '<tr><th>a<th>b</tr><tr><td>c</td><td>d</td></tr>', 'a | b |\nc | d |'],
    ['links keep where they lead', '<a class=x href="https://a.b/c">here</a>', 'here (https://a.b/c)'],
    ['but not within their site', '<a href="/c">here</a>, <a href="#d">there</a>', 'here, there'],
    ['code keeps its lines', '<pre>if a:\n    b</pre>', 'if a:\n    b'],
    ['what is not shown is left out', 'a<!-- b --><style>c</style><SCRIPT>d<p></SCRIPT >e', 'ae'],
    ['entities are read', '&lt;b&gt; &#233; &#xe9; &eacute; &unknown;', '<b> é é é &unknown;'],
    ['what is not closed ends with the page', 'a<script>b', 'a'],
    ['a comment likewise', 'a<!-- b', 'a'],
  ])('%s', async (_, html, text) => {
    expect(await textOfHtml(html)).toBe(text);
  });
});

describe('hosts that the worker names', () => {
  const answering = async (): Promise<{ port: number; close: () => void }> => {
    const server = createServer((request, response) => {
      if (request.url === '/away') response.writeHead(302, { location: `http://localhost:4711/` }).end();
      else response.setHeader('content-type', 'text/plain').end('From within.');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { port: (server.address() as AddressInfo).port, close: () => server.close() };
  };
  const tool = { name: 'fetch_page', source: { package: 'builtin.web' } };

  test('are fetched from wherever they are, and no other port, name or redirect is', async () => {
    const [named, other] = [await answering(), await answering()];
    const bench = toolBench({}, { REPRISE_FETCH_HOSTS: `wiki.example:80, 127.0.0.1:${named.port}` });
    const read = async (url: string) => (await bench.call(tool, { url }).result).text;
    expect(await read(`http://127.0.0.1:${named.port}/`)).toMatch(/From within\.$/);
    const refused = /is not on the public internet/;
    expect(await read(`http://127.0.0.1:${other.port}/`)).toMatch(refused);
    expect(await read(`http://localhost:${named.port}/`)).toMatch(refused);
    expect(await read(`http://127.0.0.1:${named.port}/away`)).toMatch(refused);
    for (const { close } of [named, other]) close();
    await bench.close();
  });

  test.each(['wiki.example', 'http://wiki.example:80', '*', 'a@b:80', '127.0.0.1:'])(
    'are refused at once where they are none: %s',
    (hosts) => {
      expect(() => toolBench({}, { REPRISE_FETCH_HOSTS: hosts })).toThrow(/is no host with its port/);
    },
  );
});
