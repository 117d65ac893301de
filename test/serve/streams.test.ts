import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { Access } from '../../src/serve/access.ts';
import type { ServeEnv } from '../../src/serve/served.ts';
import { HttpProblem } from '../../src/serve/problems.ts';
import { events, reserveStream } from '../../src/serve/streams.ts';

const own: Access = { grant: { kind: 'all' }, prefix: '' };
const guest: Access = { grant: { kind: 'start', names: ['team'] }, prefix: 't1-' };

/** Asks for a stream that goes on until its reader has gone. */
async function ask(access: Access, method = 'GET'): Promise<Response> {
  const app = new Hono<ServeEnv>();
  app.onError((error) => new Response(null, { status: (error as HttpProblem).status }));
  app.get('/', (c) => {
    c.set('access', access);
    return events(c, async function* (signal) {
      yield { data: 'first' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
  });
  return app.request('/', { method });
}

test('a place that is taken before anything is begun counts until its stream has ended, or it is given back', async () => {
  const places: Array<ReturnType<typeof reserveStream>> = [];
  const app = new Hono<ServeEnv>();
  app.get('/', (c) => {
    c.set('access', guest);
    while (places.length < 1000) places.push(reserveStream(c));
    expect(() => reserveStream(c)).toThrow(/1000 streams open/);
    places.pop()?.release();
    return reserveStream(c).stream(async function* () {
      yield { data: 'first' };
    });
  });
  expect(await (await app.request('/')).text()).toContain('first');
  for (const { release } of places) release();
});

test('who asks for nothing but the head of a stream keeps none open', async () => {
  for (let count = 0; count < 1100; count++) expect((await ask(guest, 'HEAD')).status).toBe(200);
  const answer = await ask(guest);
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
});

test('who may not everything cannot keep all streams from others', async () => {
  const open = await Promise.all(Array.from({ length: 1000 }, () => ask(guest)));
  expect((await ask(guest)).status).toBe(429);
  open.push(await ask(own), await ask({ ...guest, prefix: 't2-' }));
  expect(open.every(({ status }) => status === 200)).toBe(true);
  for (const { body } of open) await body?.cancel();
  await expect.poll(async () => (await ask(guest)).status).toBe(200);
});
