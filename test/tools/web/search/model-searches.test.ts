import { once } from 'node:events';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { ModelSearch } from '../../../../src/protocol/search.ts';
import { openSearch } from '../../../../src/tools/web/search/open-search.ts';
import { paidIn } from '../../../../src/tools/web/search/provider.ts';
import type { Store } from '../../../../src/store/store.ts';
import type { SearchReply } from '../../../support/model-search-answers.ts';
import { startModelSearches } from '../../../support/model-searches.ts';

let reply: SearchReply | Promise<SearchReply> = {};
const came = new EventTarget();
const server = await startModelSearches(() => {
  came.dispatchEvent(new Event('search'));
  return reply;
});
afterAll(() => server.close());
beforeEach(() => {
  for (const each of [server.searches, server.redirects]) each.splice(0);
});

const key = 'sk-secret-key';
const environment = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key, GEMINI_API_KEY: key, ...server.variables };
const { signal } = new AbortController();

/** The search is by its provider alone, and needs nothing of a store. */
const providerOf = (provider: ModelSearch) =>
  openSearch({ provider, max_results: 5 }, { environment, store: undefined as unknown as Store });

const [one, two] = [
  { url: 'https://one.example/a?b=c', title: 'One', text: 'One says that flour is dear 🌾.' },
  { url: 'https://two.example/', title: 'Two', text: 'Two says that it is cheap.' },
];
const bare = { url: 'https://three.example/x', title: 'Three' };

/** What 12,000 tokens, 2,000 of them cached, and 300 written ones cost by the cheap model, and each search besides. */
const costs: Array<[provider: ModelSearch, tokens: number, search: number]> = [
  ['openai', 10_000 * 0.1 + 2000 * 0.01 + 300 * 0.5, 0.01],
  ['claude', 10_000 * 0.1 + 2000 * 0.01 + 300 * 0.5, 0.01],
  ['gemini', 10_000 * 0.3 + 2000 * 0.03 + 300 * 2.5, 0.014],
];

describe.each(costs)('%s', (name, tokens, fee) => {
  const provider = providerOf(name);
  const find = (query = 'the price of flour', wanted = 5) => provider(query, wanted, signal);
  const failing = (given: SearchReply) => {
    reply = given;
    return find().catch((error: unknown) => error);
  };

  test('gives the pages that its reply cites, with what it says of each and their own addresses, and then the others', async () => {
    reply = { pages: [bare, one, two] };
    const { found } = await find();
    expect(found.map(({ url }) => url)).toEqual([one.url, two.url, bare.url]);
    expect(found[0]?.text).toContain('One says that flour is dear 🌾.');
    expect(found[0]?.text).not.toMatch(/Two|https?:|\[|utm_source|^-/);
    expect(found[1]?.text).toContain('Two says that it is cheap.');
    expect(found[2]).toMatchObject({
      title: { openai: 'three.example', claude: 'Three', gemini: 'three.example' }[name],
      text: '',
    });
  });

  test('is asked with its key for the query, by its cheap model', async () => {
    reply = {};
    await find('momentum & "trading"\ud83d');
    const [{ body, headers }] = server.searches as [(typeof server.searches)[number]];
    expect(JSON.stringify(body)).toContain('momentum & \\"trading\\"\ufffd');
    expect([headers.authorization, headers['x-api-key'], headers['x-goog-api-key']].join('')).toContain(key);
    if (name !== 'gemini') expect(body['model']).toBe({ openai: 'gpt-6-luna', claude: 'claude-haiku-5-5' }[name]);
  });

  test('costs its tokens and a fee for each search', async () => {
    reply = { pages: [one], searches: 2 };
    const { usage } = await find();
    expect(usage).toMatchObject({ inputTokens: 12_000, cachedInputTokens: 2000, outputTokens: 300 });
    expect(usage?.costUsd).toBeCloseTo(tokens / 1e6 + 2 * fee, 9);
  });

  test('that has searched and found nothing says so', async () => {
    reply = { pages: [] };
    expect((await find()).found).toEqual([]);
  });

  test('that has not searched has not found that there is nothing: it is tried again, and what it has cost is known', async () => {
    const failure = await failing({ searches: 0 });
    expect(failure).toMatchObject({
      type: 'SearchFailed',
      nonRetryable: false,
      message: `${name} answered without a search`,
    });
    expect(paidIn(failure)?.costUsd).toBeCloseTo(tokens / 1e6, 9);
  });

  test.each([
    ['a fault on its side', { status: 500 }, false, /status 500; the fault is on its side/],
    ['overload', { status: 529 }, false, /status 529/],
    ['too many requests', { status: 429, headers: { 'retry-after': '7' } }, false, /status 429; too many requests/],
    [
      'a request that it does not take',
      { status: 400 },
      true,
      /status 400; it does not take this search by (gpt|claude|gemini)-/,
    ],
    ['a key that it does not know', { status: 401 }, true, /status 401; check (OPENAI|ANTHROPIC|GEMINI)_API_KEY/],
    ['a key that may not search', { status: 403 }, true, /status 403; .*whether its owner allows web search/],
    [
      'another address',
      { status: 404 },
      true,
      /status 404; check (OPENAI|ANTHROPIC|GEMINI)_BASE_URL: it must have web search/,
    ],
    ['a page', { raw: '<html>Welcome</html>' }, true, /what is no JSON/],
    ['no object', { raw: 'null' }, true, /without a list of results/],
  ] as const)('that answers with %s fails the search', async (_, given, nonRetryable, message) => {
    const failure = await failing(given);
    expect(failure).toMatchObject({ type: 'SearchFailed', nonRetryable, message: expect.stringMatching(message) });
    expect((failure as Error).message).toMatch(name);
    expect(JSON.stringify(failure) + String((failure as Error).stack)).not.toContain(key);
  });

  test('is given up at once when the search is cancelled', async () => {
    reply = new Promise<SearchReply>(() => {});
    const controller = new AbortController();
    const asked = once(came, 'search');
    const searching = provider('momentum', 5, controller.signal);
    await asked;
    controller.abort(new Error('no longer wanted'));
    await expect(searching).rejects.toThrow('no longer wanted');
  });
});

describe('a fault within an answer of status 200 is none that was found nothing', () => {
  test.each<[ModelSearch, string, boolean]>([
    ['claude', 'too_many_requests', false],
    ['claude', 'unavailable', false],
    ['claude', 'query_too_long', true],
    ['claude', 'invalid_tool_input', true],
    ['openai', 'server_error', false],
    ['openai', 'rate_limit_exceeded', false],
    ['openai', 'invalid_prompt', true],
  ])('%s: %s', async (name, fault, nonRetryable) => {
    reply = { fault };
    const failure = await providerOf(name)('flour', 5, signal).catch((error: unknown) => error);
    expect(failure).toMatchObject({ nonRetryable, message: expect.stringMatching(`${name}.*: ${fault}$`) });
    expect(paidIn(failure)).toMatchObject({ inputTokens: 12_000 });
  });

  test('openai: searches that have all failed', async () => {
    reply = { failed: true };
    await expect(providerOf('openai')('flour', 5, signal)).rejects.toMatchObject({
      nonRetryable: false,
      message: 'openai answered without a search',
    });
  });

  test.each<[ModelSearch]>([['claude'], ['gemini']])('%s refuses a query', async (name) => {
    reply = { refused: true };
    await expect(providerOf(name)('flour', 5, signal)).rejects.toMatchObject({
      nonRetryable: true,
      message: expect.stringMatching(`^${name} refuses this query`),
    });
  });
});

describe('a turn that Anthropic pauses', () => {
  test('goes on with what it has, as it came, and costs all of its requests', async () => {
    reply = { pauses: 4, pages: [one] };
    const { found, usage } = await providerOf('claude')('flour', 5, signal);
    expect(server.searches).toHaveLength(3);
    expect(found.map(({ url }) => url)).toContain(one.url);
    expect(usage).toMatchObject({ inputTokens: 36_000 });
    expect(usage?.costUsd).toBeCloseTo(3 * (0.01 + (10_000 * 0.1 + 2000 * 0.01 + 300 * 0.5) / 1e6), 9);
  });

  test('and cannot go on with has not been free', async () => {
    reply = { pauses: 4 };
    let asked = 0;
    const count = (): void => void (reply = ++asked === 1 ? reply : { status: 529 });
    came.addEventListener('search', count);
    const failure = await providerOf('claude')('flour', 5, signal)
      .catch((error: unknown) => error)
      .finally(() => came.removeEventListener('search', count));
    expect(failure).toMatchObject({ nonRetryable: false, message: expect.stringMatching(/status 529/) });
    expect(paidIn(failure)).toMatchObject({ inputTokens: 12_000 });
  });

  test('without end gives what it has', async () => {
    reply = { pauses: Infinity };
    const { found } = await providerOf('claude')('flour', 5, signal);
    expect(server.searches).toHaveLength(4);
    expect(found).toHaveLength(4);
  });
});

describe("Gemini's addresses of Google", () => {
  test('are looked up for as many pages as are wanted, and the pages themselves are not asked', async () => {
    reply = { pages: [one, two, bare] };
    const { found } = await providerOf('gemini')('flour', 2, signal);
    expect(found.map(({ url }) => url)).toEqual([one.url, two.url]);
    expect(server.redirects).toHaveLength(2);
  });

  test.each([
    ['leads nowhere', 'javascript:alert(1)'],
    ['leads to another of a file', 'file:///etc/passwd'],
  ])('stay where one %s', async (_, url) => {
    reply = { pages: [{ ...one, url }] };
    const { found } = await providerOf('gemini')('flour', 2, signal);
    expect(found.map((page) => page.url)).toEqual([expect.stringContaining('/grounding-api-redirect/')]);
  });
});
