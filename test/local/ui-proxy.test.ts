import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../../src/local/ports.ts';
import { uiProxy } from '../../src/local/ui-proxy.ts';

let inner: Server;
let proxy: Server;
let port: number;
/** What has come through to the Web UI. */
let passed: string[] = [];

beforeAll(async () => {
  const answerTo = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await text(incoming);
    passed.push([incoming.method, incoming.url, incoming.headers.host, body].join(' '));
    outgoing.setHeader('set-cookie', ['a=1', 'b=2']);
    outgoing.setHeader('content-security-policy', "default-src 'self'");
    outgoing.writeHead(201).end(`seen ${body}`);
  };
  inner = createServer((incoming, outgoing) => void answerTo(incoming, outgoing)).listen(0, '127.0.0.1');
  await once(inner, 'listening');
  port = await freePort();
  proxy = uiProxy({ host: '127.0.0.1', port: (inner.address() as AddressInfo).port }, port).listen(port, '127.0.0.1');
  await once(proxy, 'listening');
});
afterAll(() => {
  proxy.close();
  inner.close();
});
beforeEach(() => {
  passed = [];
});

interface Sent {
  method?: string;
  path?: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

async function send({
  method = 'GET',
  path = '/',
  headers = {},
  body,
}: Sent): Promise<IncomingMessage & { text: string }> {
  const sending = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers: { host: `localhost:${port}`, ...headers },
  });
  sending.end(body);
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  return Object.assign(answer, { text: await text(answer) });
}

/** Headers of the Fetch standard that a browser adds. */
const from = (site: string, mode: string, dest: string): OutgoingHttpHeaders => ({
  'sec-fetch-site': site,
  'sec-fetch-mode': mode,
  'sec-fetch-dest': dest,
});

describe('the proxy before the Web UI', () => {
  test.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])('takes the host %s', async (name) => {
    expect(await send({ headers: { host: `${name}:${port}` } })).toMatchObject({ statusCode: 201 });
  });

  test('passes a request on as it is, and the answer with a ban on frames of other sites', async () => {
    const origin = `http://localhost:${port}`;
    const answer = await send({ method: 'POST', path: '/api?x=1', headers: { origin }, body: '{"a":1}' });
    expect(answer).toMatchObject({ statusCode: 201, text: 'seen {"a":1}' });
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(answer.headers['x-frame-options']).toBe('SAMEORIGIN');
    expect(answer.headers['content-security-policy']).toBe("default-src 'self', frame-ancestors 'self'");
    expect(passed).toEqual([`POST /api?x=1 127.0.0.1:${(inner.address() as AddressInfo).port} {"a":1}`]);
  });

  const own: Record<string, OutgoingHttpHeaders> = {
    'the address bar': from('none', 'navigate', 'document'),
    'its own page': from('same-origin', 'cors', 'empty'),
    'a frame of its own page': from('same-origin', 'navigate', 'iframe'),
    'a link of another site': from('cross-site', 'navigate', 'document'),
    'a link of another port of this machine': from('same-site', 'navigate', 'document'),
  };
  test.each(Object.keys(own))('takes what comes from %s', async (name) => {
    expect(await send({ headers: own[name] ?? {} })).toMatchObject({ statusCode: 201 });
  });

  const foreign: Record<string, (ownPort: number) => Sent> = {
    'another host (DNS rebinding)': (own) => ({ headers: { host: `evil.example:${own}` } }),
    'another host that begins like ours': (own) => ({ headers: { host: `localhost.evil.example:${own}` } }),
    'the right host without its port': () => ({ headers: { host: '127.0.0.1' } }),
    'another port': (own) => ({ headers: { host: `127.0.0.1:${own + 1}` } }),
    'another host in the first line': (own) => ({ path: `http://evil.example:${own}/` }),
    'a page of another site': () => ({ headers: { origin: 'http://evil.example' } }),
    'a page of another port of this machine': (own) => ({ headers: { origin: `http://127.0.0.1:${own + 1}` } }),
    'a page of the same host by https': (own) => ({ headers: { origin: `https://127.0.0.1:${own}` } }),
    'a page without an origin': () => ({ headers: { origin: 'null' } }),
    'a form of another site': () => ({ method: 'POST', headers: from('cross-site', 'navigate', 'document') }),
    'a frame in another site': () => ({ headers: from('cross-site', 'navigate', 'iframe') }),
    'an object in another site': () => ({ headers: from('cross-site', 'navigate', 'object') }),
    'a picture in another site': () => ({ headers: from('cross-site', 'no-cors', 'image') }),
    'a script in a page of another port': () => ({ headers: from('same-site', 'no-cors', 'script') }),
    'a preflight of another site': () => ({ method: 'OPTIONS', headers: { origin: 'http://evil.example' } }),
  };
  test.each(Object.keys(foreign))('refuses what comes from %s, and the Web UI does not hear of it', async (name) => {
    const answer = await send(foreign[name]?.(port) ?? {});
    expect(answer.statusCode).toBe(403);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(passed).toEqual([]);
  });

  test('says so where the Web UI does not answer', async ({ onTestFinished }) => {
    const elsewhere = await freePort();
    const alone = uiProxy({ host: '127.0.0.1', port: await freePort() }, elsewhere).listen(elsewhere, '127.0.0.1');
    onTestFinished(() => void alone.close());
    const answer = await fetch(`http://127.0.0.1:${elsewhere}/`);
    expect([answer.status, await answer.text()]).toEqual([502, 'The Web UI does not answer.\n']);
  });
});
