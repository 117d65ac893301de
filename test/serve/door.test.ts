import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { issue } from '../../src/serve/access.ts';
import { createApp } from '../../src/serve/app.ts';
import { longestBody } from '../../src/serve/door.ts';
import { listen } from '../../src/serve/listen.ts';
import type { Served } from '../../src/serve/served.ts';

const owner = 'the-token-of-an-owner';
const url = 'http://127.0.0.1:8234';

/** A server without Temporal, which what stands before it does not need. */
const served: Served = {
  reprise: undefined as never,
  ready: () => Promise.reject(new Error('no Temporal')),
  feeds: undefined as never,
  configs: '',
  home: '',
  owner,
  url,
  port: 8234,
  origins: ['https://pages.example'],
  typed: (text) => text,
  say: () => {},
};

const send = (headers: Record<string, string>, init: RequestInit & { path?: string } = {}) =>
  createApp(served).request(`${url}${init.path ?? '/api/v1/nothing'}`, {
    ...init,
    headers: { host: '127.0.0.1:8234', authorization: `Bearer ${owner}`, ...headers },
  });

test('with the token of the owner a request comes to what it asks for', async () => {
  const answer = await send({});
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(await answer.json()).toMatchObject({ title: 'Not Found', status: 404, type: 'about:blank' });
});

test.each([
  ['no token', { authorization: '' }, 401],
  ['a wrong token', { authorization: 'Bearer wrong' }, 401],
  ['a wrong kind of token', { authorization: `Basic ${owner}` }, 401],
  ['a name that leads here (DNS rebinding)', { host: 'evil.example:8234' }, 403],
  ['another port as its host', { host: '127.0.0.1:80' }, 403],
  ['no host', { host: '' }, 403],
  ['a dot behind its host', { host: 'localhost.:8234' }, 403],
  ['this machine by its number', { host: '2130706433:8234' }, 403],
  ['two hosts', { host: '127.0.0.1:8234, evil.example' }, 403],
  ['a page of another site', { origin: 'https://evil.example' }, 403],
  ['a page of another port', { origin: 'http://127.0.0.1:9999' }, 403],
  ['a page from a file or a frame', { origin: 'null' }, 403],
  ['a page below one that is named', { origin: 'https://evil.pages.example' }, 403],
  ['two tokens', { authorization: `Bearer wrong, Bearer ${owner}` }, 401],
  ['a cookie beside a wrong token', { authorization: 'Bearer wrong', cookie: `reprise-8234=${owner}` }, 401],
  ['a cookie and names no origin', { authorization: '', cookie: `reprise-8234=${owner}` }, 403],
  ['a body that is packed', { 'content-encoding': 'gzip' }, 415],
  ['a body that is too long', { 'content-length': String(longestBody + 1) }, 413],
])('a request is refused that has %s', async (_, headers, status) => {
  const answer = await send(headers, { method: 'POST' });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

test('a page whose origin is named may use it, and asks first', async () => {
  const origin = 'https://pages.example';
  // Such as those of OpenAI's, A2A's and MCP's clients.
  const wanted = 'authorization,x-stainless-os,a2a-version,mcp-method';
  const asked = await send({ origin, 'access-control-request-headers': wanted }, { method: 'OPTIONS' });
  expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
  expect(asked.headers.get('access-control-allow-headers')).toBe(wanted);
  const answer = await send({ origin });
  expect([answer.status, answer.headers.get('access-control-expose-headers')]).toEqual([404, '*']);
});

test('a token that may only read sends nothing that changes', async () => {
  const authorization = `Bearer ${issue(owner, { kind: 'read' })}`;
  expect((await send({ authorization })).status).toBe(404);
  expect((await send({ authorization }, { method: 'POST' })).status).toBe(403);
  const path = '/api/v1/runs/r1/cancel';
  expect((await send({ authorization, 'x-http-method-override': 'POST' }, { path })).status).toBe(405);
});

test('a token in an address opens nothing, and no cache keeps what is told', async () => {
  const path = `/api/v1/openapi.json?token=${owner}&access_token=${owner}`;
  expect((await send({ authorization: '' }, { path })).status).toBe(401);
  expect((await send({}, { path })).headers.get('cache-control')).toBe('private, no-store');
});

test.each<[string, string, string, RegExp]>([
  [
    'nested deeply',
    '/runs',
    `{"type":"orchestration","input":{"task":"x","config":${'['.repeat(15_000)}${']'.repeat(15_000)}}}`,
    /too deeply/,
  ],
  ['for an id that no address can name', '/runs', '{"type":"orchestration","id":"..","input":{"task":"x"}}', /^.*id: /],
  ['for an id that steers a terminal', '/runs/a%0A%1B/message', '{"text":"x","input":{}}', /^.*id: /],
])('a body is refused that is %s', async (_, path, body, why) => {
  const answer = await send({}, { method: 'POST', path: `/api/v1${path}`, body });
  expect([answer.status, await answer.text()]).toEqual([422, expect.stringMatching(why)]);
});

test.each([
  ['/api/v1/runs', '{"type":"orchestration","input":{"task":"x","history":MANY}}'],
  ['/v1/chat/completions', '{"model":"reprise","messages":MANY}'],
  ['/agui/reprise', '{"messages":MANY}'],
  ['/a2a', '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"parts":MANY}}}'],
  ['/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":MANY}'],
])('a request to %s with more values than can be checked at once is refused', async (path, body) => {
  const many = `[${'{},'.repeat(20_000)}{}]`;
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const answer = await send(headers, { method: 'POST', path, body: body.replace('MANY', many) });
  expect([answer.status, await answer.text()]).toEqual([413, expect.stringContaining('at most 20,000 values')]);
});

test('half a character is replaced, since strict readers refuse all JSON in which it is', async () => {
  const body = String.raw`{"type":"\ud83d!","id":"\ud83d\ude00"}`;
  const answer = await send({}, { method: 'POST', path: '/api/v1/runs', body });
  expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('"\ufffd!"') });
});

test.each([
  ['GET', '/agui/reprise', 'POST'],
  ['GET', '/a2a', 'POST'],
  ['GET', '/v1/chat/completions', 'POST'],
  ['GET', '/api/v1/runs/r1/cancel', 'POST'],
  ['DELETE', '/v1/responses/resp_1', 'GET'],
  ['PUT', '/api/v1/runs', 'GET, POST'],
  ['POST', '/inbox', 'GET'],
])('%s %s is answered by what may be sent there: %s', async (method, path, allow) => {
  const answer = await send({ origin: url }, { method, path });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
});

test.each(['/login', '/logout'])('of who has no token yet, little is read: %s', async (path) => {
  const body = new URLSearchParams({ token: 'a'.repeat(10_000) });
  expect((await send({ authorization: '' }, { method: 'POST', path, body })).status).toBe(413);
});

test('whoever guesses tokens is told to wait', async () => {
  const app = createApp(served);
  const guess = (n: number) =>
    app.request(`${url}/api/v1/runs`, { headers: { host: '127.0.0.1:8234', authorization: `Bearer ${n}` } });
  const answers = await Promise.all(Array.from({ length: 30 }, async (_, n) => guess(n)));
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(5);
  expect(answers.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/);
});

test('whether it lives is told without a token, and no more', async () => {
  const answer = await send({ authorization: '' }, { path: '/health' });
  expect(await answer.json()).toEqual({ status: 'ok' });
  // As a probe asks, by the address of a container.
  expect((await send({ authorization: '', host: '10.0.0.7:8234' }, { path: '/health' })).status).toBe(200);
});

test('it listens, and serves what it is asked over a connection', async () => {
  const listening = await listen(() => new Response('here'), { host: '127.0.0.1', port: 0 });
  const answer = await fetch(`http://127.0.0.1:${listening.port}/`);
  expect(await answer.text()).toBe('here');
  // Balancers, which give up theirs after a minute, are to be the first.
  expect(answer.headers.get('keep-alive')).toBe('timeout=75');
  await listening.close();
});

test('of two thousand connections that have sent a part of a request, or none after the first, the oldest makes room', async () => {
  const read = async (request: Request): Promise<Response> =>
    new Response(request.url.endsWith('/unread') ? 'no' : await request.text());
  const listening = await listen(read, { host: '127.0.0.1', port: 0 });
  const parts = [
    'POST / HTTP/1.1\r\nhost: ',
    'POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\n\r\na',
    'POST / HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n',
    'GET / HTTP/1.1\r\nhost: here\r\n\r\n',
    'POST /unread HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\n\r\nab',
  ];
  const errors: Array<string | undefined> = [];
  const opened = Array.from({ length: 2001 }, () =>
    connect(listening.port, '127.0.0.1').on('error', ({ code }: NodeJS.ErrnoException) => void errors.push(code)),
  );
  opened.forEach((socket, n) => socket.resume().write(parts[n % parts.length] ?? ''));
  try {
    const closed = await Promise.race(opened.map((socket) => once(socket, 'close').then(() => socket)));
    // One whose time is up would have been told so.
    expect(closed.bytesRead).toBe(0);
    expect(errors).not.toContain('EMFILE');
    const init = { method: 'POST', body: 'whole' };
    expect(await (await fetch(`http://127.0.0.1:${listening.port}`, init)).text()).toBe('whole');
  } finally {
    for (const socket of opened) socket.destroy();
    await listening.close();
  }
});

test('an answer over a connection that it was given is use, for as long as it is under way', async () => {
  let now = 1000;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const held = Promise.withResolvers<void>();
  const listening = await listen(async () => {
    await held.promise;
    return new Response('here');
  });
  const door = createServer((socket) => listening.take(socket)).listen(0, '127.0.0.1');
  await once(door, 'listening');
  expect(listening.usedAt()).toBe(0);
  const answer = fetch(`http://127.0.0.1:${(door.address() as AddressInfo).port}/`);
  await vi.waitUntil(() => listening.usedAt() === 1000, { timeout: 60_000 });
  now = 2000;
  expect(listening.usedAt()).toBe(2000);
  held.resolve();
  expect(await (await answer).text()).toBe('here');
  // Its client may use the connection again.
  const isOver = (): boolean => {
    now += 1;
    return listening.usedAt() < now;
  };
  await vi.waitUntil(isOver, { timeout: 60_000 });
  const usedAt = listening.usedAt();
  now += 1000;
  expect(listening.usedAt()).toBe(usedAt);
  await listening.close();
  door.close();
});
