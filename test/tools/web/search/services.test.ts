import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Search } from '../../../../src/tools/web/search/provider.ts';
import { freePort } from '../../../../src/local/ports.ts';
import { searchBrave } from '../../../../src/tools/web/search/brave.ts';
import { searchSearxng } from '../../../../src/tools/web/search/searxng.ts';
import { ask } from '../../../../src/tools/web/search/provider.ts';
import { searchTavily } from '../../../../src/tools/web/search/tavily.ts';
import { startSearchServer, type SearchAnswer } from '../../../support/search-server.ts';

const never = new Promise<SearchAnswer>(() => {});
let answer: SearchAnswer | Promise<SearchAnswer> = {};
const came = new EventTarget();
const server = await startSearchServer(() => {
  came.dispatchEvent(new Event('search'));
  return answer;
});
afterAll(() => server.close());
beforeEach(() => void server.searches.splice(0));

const key = 'tvly-secret-key';
const providers: Array<[name: string, provider: Search]> = [
  ['searxng', searchSearxng(server.url)],
  ['tavily', searchTavily(key, server.url)],
  ['brave', searchBrave(key, server.brave)],
];
const { signal } = new AbortController();

test('SearXNG is asked at /search for JSON', async () => {
  answer = { results: [] };
  await searchSearxng(`${server.url}/`)('momentum & trading', 5, signal);
  expect(server.searches).toEqual([
    {
      service: 'searxng',
      query: 'momentum & trading',
      parameters: { q: 'momentum & trading', format: 'json' },
      authorization: undefined,
    },
  ]);
});

test('SearXNG below a path gets the name and the password of its address', async () => {
  answer = { results: [] };
  const address = server.url.replace('http://', 'http://ann:p%40ss@');
  await searchSearxng(`${address}/searx`)('momentum', 5, signal);
  expect(server.searches[0]?.authorization).toBe(`Basic ${btoa('ann:p@ss')}`);
});

test('Tavily is asked with its key, for as many as are wanted, and in at most 400 characters', async () => {
  answer = { results: [] };
  await searchTavily(key, `${server.url}/`)('m'.repeat(500), 7, signal);
  expect(server.searches).toEqual([
    {
      service: 'tavily',
      query: 'm'.repeat(400),
      parameters: { query: 'm'.repeat(400), max_results: 7 },
      authorization: `Bearer ${key}`,
    },
  ]);
});

describe('Brave', () => {
  const brave = searchBrave(key, `${server.brave}/`);

  test('is asked with its token, for plain web results, and for no more than it gives', async () => {
    answer = { results: [] };
    expect(await brave(' momentum  & trading ', 30, signal)).toEqual({ found: [] });
    expect(server.searches).toEqual([
      {
        service: 'brave',
        query: 'momentum & trading',
        parameters: { q: 'momentum & trading', count: '20', result_filter: 'web', text_decorations: 'false' },
        authorization: key,
      },
    ]);
  });

  test.each([
    ['of many words', 'word '.repeat(80), 'word '.repeat(50).trim()],
    ['that is long', 'm'.repeat(500), 'm'.repeat(400)],
  ])('takes a query %s, shortened', async (_, query, asked) => {
    answer = { results: [] };
    await brave(query, 5, signal);
    expect(server.searches[0]?.query).toBe(asked);
  });

  test('that does not know the token says so with a status of its own', async () => {
    answer = { status: 422, raw: '{"error":{"code":"SUBSCRIPTION_TOKEN_INVALID"}}' };
    await expect(brave('momentum', 5, signal)).rejects.toMatchObject({
      nonRetryable: true,
      message: expect.stringMatching(/status 422; check BRAVE_API_KEY/),
    });
  });

  test('with the limit of this second reached is waited for, not by all at the same moment', async () => {
    answer = { status: 429, headers: { 'x-ratelimit-remaining': '0, 1000', 'x-ratelimit-reset': '1, 1419704' } };
    const failure = await brave('momentum', 5, signal).catch((error: unknown) => error);
    const { nextRetryDelay, nonRetryable } = failure as { nextRetryDelay: number; nonRetryable: boolean };
    expect(nonRetryable).toBe(false);
    expect(nextRetryDelay).toBeGreaterThanOrEqual(1000);
    expect(nextRetryDelay).toBeLessThanOrEqual(3000);
  });

  test('with the limit of this month reached has used up its plan', async () => {
    answer = { status: 429, headers: { 'x-ratelimit-remaining': '1, 0', 'x-ratelimit-reset': '1, 1419704' } };
    await expect(brave('momentum', 5, signal)).rejects.toMatchObject({
      nonRetryable: true,
      message: expect.stringContaining('used up'),
    });
  });
});

test('an answer without end is given up', async () => {
  answer = { raw: 'x'.repeat(5_000_001) };
  await expect(searchTavily(key, server.url)('momentum', 5, signal)).rejects.toMatchObject({
    nonRetryable: true,
    message: 'tavily answered with over 5000000 bytes',
  });
});

describe.each(providers)('%s', (name, provider) => {
  test('gives its results in their order; what has no title or no web address is left out', async () => {
    answer = {
      results: [
        { title: 'One', url: 'https://one.example/a?b=c', content: 'First.', score: 0.9, engines: ['x'] },
        { title: 'No address' },
        { url: 'https://no-title.example' },
        { title: '', url: 'https://empty-title.example' },
        { title: 'A script', url: 'javascript:alert(1)' },
        { title: 7, url: 'https://seven.example' },
        null,
        { title: 'Two', url: 'http://two.example', content: null },
      ],
    };
    const { found } = await provider('momentum', 5, signal);
    expect(found).toEqual([
      { title: 'One', url: 'https://one.example/a?b=c', text: 'First.' },
      { title: 'Two', url: 'http://two.example', text: '' },
    ]);
  });

  test.each([
    ['a fault on its side', { status: 500 }, false, /answered with status 500; the fault is on its side/],
    ['no gateway', { status: 502 }, false, /status 502/],
    ['too many searches', { status: 429 }, false, /status 429/],
    ['its own timeout', { status: 408 }, false, /status 408/],
    ['a bad request', { status: 400 }, true, /status 400/],
    [
      'a key that it does not know',
      { status: 401 },
      true,
      /status 401; check .*(TAVILY_API_KEY|SEARXNG_URL|BRAVE_API_KEY)/,
    ],
    ['a refusal', { status: 403 }, true, /status 403; (check (TAVILY|BRAVE)_API_KEY|.* must list json under search)/],
    ['another address', { status: 404 }, true, /status 404; check (TAVILY_BASE_URL|SEARXNG_URL|BRAVE_BASE_URL)/],
    [
      'a page',
      { raw: '<html>Welcome</html>' },
      true,
      /what is no JSON; check (TAVILY_BASE_URL|SEARXNG_URL|BRAVE_BASE_URL)/,
    ],
    ['nothing', { raw: '' }, true, /no JSON/],
    ['JSON of another shape', { raw: '{"hits":[]}' }, true, /without a list of results/],
    ['no object', { raw: 'null' }, true, /without a list of results/],
  ])('that answers with %s fails the search', async (_, given, nonRetryable, message) => {
    answer = given;
    const failure = await provider('momentum', 5, signal).catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: 'SearchFailed', nonRetryable, message: expect.stringMatching(message) });
    expect((failure as Error).message).toMatch(name);
    expect(JSON.stringify(failure) + String((failure as Error).stack)).not.toContain(key);
  });

  test('that asks to wait is waited for', async () => {
    answer = { status: 429, headers: { 'retry-after': '7' } };
    await expect(provider('momentum', 5, signal)).rejects.toMatchObject({ nextRetryDelay: 7000 });
  });

  test('is given up at once when the search is cancelled', async () => {
    answer = never;
    const controller = new AbortController();
    const asked = once(came, 'search');
    const searching = provider('momentum', 5, controller.signal);
    await asked;
    controller.abort(new Error('no longer wanted'));
    await expect(searching).rejects.toThrow('no longer wanted');
  });
});

test.each([432, 433])('Tavily with status %i has used up its plan', async (status) => {
  answer = { status };
  await expect(searchTavily(key, server.url)('momentum', 5, signal)).rejects.toMatchObject({
    nonRetryable: true,
    message: expect.stringContaining('used up'),
  });
});

test('SearXNG whose engines did not answer has not found that there is nothing: it is tried again', async () => {
  answer = { raw: JSON.stringify({ results: [], unresponsive_engines: [['brave', 'too many requests']] }) };
  await expect(searchSearxng(server.url)('momentum', 5, signal)).rejects.toMatchObject({
    type: 'SearchFailed',
    nonRetryable: false,
  });
});

const service = { provider: 'a service', addressVariable: 'ITS_URL', hints: {} };

test('a service that is not there is tried again, and its address is kept back', async () => {
  const url = `http://127.0.0.1:${await freePort()}/hidden`;
  const failure = await ask(service, { url }, signal).catch((error: unknown) => error);
  expect(failure).toMatchObject({ type: 'SearchFailed', nonRetryable: false });
  expect((failure as Error).message).toBe('a service was not reached (ECONNREFUSED); check ITS_URL');
});

test('a service that does not answer in time is tried again', async () => {
  answer = never;
  await expect(ask(service, { url: `${server.url}/search` }, signal, 20)).rejects.toMatchObject({
    type: 'SearchFailed',
    nonRetryable: false,
    message: 'a service did not answer in time; check ITS_URL',
  });
});

test('a key that no request can carry is named by nobody', async () => {
  const failure = await searchTavily(`${key}\nX`, server.url)('momentum', 5, signal).catch((error: unknown) => error);
  expect(failure).toMatchObject({ type: 'SearchFailed', nonRetryable: true });
  expect((failure as Error).message).toContain('cannot be asked');
  expect(String((failure as Error).stack)).not.toContain(key);
});
