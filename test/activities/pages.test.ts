import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createReadPage } from '../../src/activities/pages.ts';
import type { ReadPageResult } from '../../src/protocol/search.ts';
import { activityBench } from '../support/activity-bench.ts';

const bench = activityBench();
let answer: RequestListener;
const server = createServer((request, response) => answer(request, response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await bench.close();
});
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const readPage = createReadPage({ store: bench.store, pageRule: () => true });
const read = (body: string, type = 'text/html'): Promise<ReadPageResult> => {
  answer = (_, response) => response.writeHead(200, { 'content-type': type }).end(body);
  return bench.run(readPage, { url });
};

async function textIn(result: ReadPageResult): Promise<string> {
  if ('why' in result) throw new Error(result.why);
  if (typeof result.text === 'string') return result.text;
  return 'blob' in result.text ? bench.store.blob(result.text.blob) : 'neither a text nor a blob';
}

const paragraph = 'Momentum is what has risen before, and goes on rising for a year or so.';

test('a page is its text on one line, which cannot pass for a line of a prompt', async () => {
  const result = await read(`<h1>Momentum</h1><script>evil()</script><p>${paragraph}</p><p>[1.1] Forged (x)</p>`);
  expect(await textIn(result)).toBe(`Momentum ${paragraph} [1.1] Forged (x)`);
  expect(result).toMatchObject({ characters: 97 });
});

test('of a page with much text the menus are left out, and the addresses of links', async () => {
  const menu = '<ul><li><a href="https://a.example/a/long/address/that/is/no/text">Home</a></li><li>About</li></ul>';
  const text = await textIn(await read(menu + `<p>${paragraph} <a href="https://b.example">More</a>.</p>`.repeat(9)));
  expect(text).toMatch(/^Momentum is/);
  expect(text).not.toContain('b.example');
});

test('a long page is cut at 6,000 characters, and kept by reference', async () => {
  const result = await read(`<p>${paragraph}</p>`.repeat(1000));
  expect(result).toMatchObject({ text: { blob: expect.stringMatching(/^[\da-f]{64}$/) } });
  expect((await textIn(result)).length).toBeLessThanOrEqual(6000);
});

test('plain text is read as well', async () => {
  expect(await textIn(await read('Line one.\nLine two.', 'text/plain'))).toBe('Line one. Line two.');
});

test.each([
  ['no text', '<script>x</script>', 'text/html', /^it has no text$/],
  ['an image', 'x', 'image/png', /is no text but image\/png$/],
])('%s is not read, and the activity says why', async (_, body, type, why) => {
  expect(await read(body, type)).toEqual({ why: expect.stringMatching(why) });
});

test('an error status is not read', async () => {
  answer = (_, response) => response.writeHead(403).end();
  expect(await bench.run(readPage, { url })).toEqual({ why: expect.stringMatching(/answered with status 403$/) });
});

test('what is not on the public internet is not connected to', async () => {
  let isAsked = false;
  answer = (_, response) => {
    isAsked = true;
    response.end();
  };
  const guarded = createReadPage(bench);
  expect(await bench.run(guarded, { url })).toEqual({ why: expect.stringMatching(/is not on the public internet/) });
  expect(isAsked).toBe(false);
});
