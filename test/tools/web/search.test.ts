import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Environment } from '../../../src/util/environment.ts';
import type { CallToolResult } from '../../../src/protocol/tools/tool.ts';
import { tokensOfSearch, type SearchReply } from '../../support/model-search-answers.ts';
import { startModelSearches } from '../../support/model-searches.ts';
import { startSearchServer, type SearchAnswer } from '../../support/search-server.ts';
import { toolBench, type ToolBench } from '../../support/tool-bench.ts';

let answers: SearchAnswer[] = [];
const server = await startSearchServer(() => (answers.length > 1 ? answers.shift()! : (answers[0] ?? {})));
const benches: ToolBench[] = [];
afterAll(async () => {
  await Promise.all([server.close(), ...benches.map((each) => each.close())]);
});
beforeEach(() => void server.searches.splice(0));

const SEARXNG_URL = server.url;
const tavily = { TAVILY_API_KEY: 'tvly-secret', TAVILY_BASE_URL: server.url };
const brave = { BRAVE_API_KEY: 'brave-secret', BRAVE_BASE_URL: server.brave };

/** Calls `web_search` as agents have it, on a worker with these variables. */
function searching(environment: Environment) {
  const bench = toolBench({}, environment);
  benches.push(bench);
  const source = { package: 'builtin.web' };
  return {
    search: (query: string, rest: object = {}) => bench.call({ name: 'web_search', source }, { query, ...rest }).result,
    whole: ({ blob, text }: CallToolResult) => (blob === undefined ? text : bench.store.blob(blob)),
    described: async (): Promise<string | undefined> => {
      const { tools, descriptions } = await bench.list({ packages: ['builtin.web'] });
      return descriptions[tools.findIndex(({ name }) => name === 'web_search')];
    },
  };
}

const entry = (name: string, content = ''): object => ({ title: name, url: `https://${name}.example/`, content });

test.each([
  ['SearXNG, which costs nothing, before all others', { SEARXNG_URL, ...tavily, ...brave }, 'searxng'],
  ['Tavily before Brave', { ...tavily, ...brave }, 'tavily'],
  ['Brave', brave, 'brave'],
])('the service is the one whose variable is set: %s', async (_, environment, service) => {
  answers = [{ results: [entry('bread', 'Rye and <b>wheat</b>.'), entry('butter')] }];
  expect(await searching(environment).search('bread')).toEqual({
    status: 'ok',
    text: '1. bread\nhttps://bread.example/\nRye and wheat.\n\n2. butter\nhttps://butter.example/',
  });
  expect(server.searches).toMatchObject([{ service, query: 'bread' }]);
});

test('as many results as are wanted, and not more text than a model reads', async () => {
  answers = [{ results: Array.from({ length: 30 }, (_, index) => entry(`site${index}`, 'word '.repeat(500))) }];
  const { search, whole } = searching(brave);
  expect((await search('bread', { max_results: 3 })).text.match(/^\d+\./gm)).toHaveLength(3);
  const text = await whole(await search('bread', { max_results: 20 }));
  expect(text.match(/^\d+\./gm)).toHaveLength(20);
  expect(text.length).toBeLessThan(20_100);
});

test('nothing found is said in words', async () => {
  answers = [{ results: [] }];
  expect(await searching(brave).search('bread')).toEqual({ status: 'ok', text: 'Nothing was found for "bread".' });
});

describe('a worker without a service', () => {
  const { search, described } = searching({});

  test('has a tool that says so before it is called', async () => {
    expect(await described()).toMatch(/^CANNOT SEARCH HERE: no search service is set up/);
  });

  test('answers no call with a success, and says what to set', async () => {
    expect(await search('bread')).toEqual({
      status: 'error',
      text:
        'this worker has no search service, so nothing was searched. ' +
        'The person can set SEARXNG_URL, TAVILY_API_KEY, BRAVE_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY',
    });
  });
});

describe("a worker with nothing but a model's key", () => {
  const page = { url: 'https://bread.example/', title: 'Bread', text: 'It rises.' };
  let replies: SearchReply[] = [];
  const models = startModelSearches(() => replies.shift() ?? { pages: [page] });
  afterAll(async () => (await models).close());

  test.each(['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY'])(
    'searches with its provider (%s), and says what that has cost',
    async (variable) => {
      const { variables } = await models;
      const result = await searching({ [variable]: 'k', ...variables }).search('bread');
      expect(result).toMatchObject({
        status: 'ok',
        text: expect.stringMatching(/^1\. .*\nhttps:\/\/bread\.example\/\nIt rises\./),
      });
      expect(result.usage).toMatchObject({ inputTokens: tokensOfSearch.input, costUsd: expect.any(Number) });
    },
  );

  test('says what a search has cost that failed, and its further tries', async () => {
    replies = [{ searches: 0 }];
    const { variables } = await models;
    const result = await searching({ ANTHROPIC_API_KEY: 'k', ...variables }).search('bread');
    expect(result).toMatchObject({ status: 'ok', usage: { inputTokens: 2 * tokensOfSearch.input } });
  });
});

test('an address that is none is named by its variable', async () => {
  expect(await searching({ SEARXNG_URL: 'localhost:8080' }).search('bread')).toMatchObject({
    status: 'error',
    text: expect.stringContaining('searxng needs SEARXNG_URL to be an address with http:// or https://'),
  });
});

test('what passes is tried again', async () => {
  answers = [{ status: 429, headers: { 'retry-after': '0' } }, { results: [entry('bread')] }];
  expect(await searching(brave).search('bread')).toMatchObject({ status: 'ok' });
  expect(server.searches).toHaveLength(2);
});

test.each([
  [
    'a key that is not known',
    { status: 401 },
    1,
    /^the search failed: brave answered with status 401; check BRAVE_API_KEY$/,
  ],
  ['a fault that stays', { status: 500, headers: { 'retry-after': '0' } }, 3, /^the search failed: .*status 500/],
  ['a wait that is too long', { status: 429, headers: { 'retry-after': '50' } }, 1, /^the search failed: .*status 429/],
])('what does not pass is an error that the agent sees, without the key: %s', async (_, given, tries, message) => {
  answers = [given];
  const result = await searching(brave).search('bread');
  expect(result).toMatchObject({ status: 'error', text: expect.stringMatching(message) });
  expect(result.text).not.toContain('brave-secret');
  expect(server.searches).toHaveLength(tries);
});

test('arguments that do not fit are refused', async () => {
  expect(await searching(brave).search(' ')).toMatchObject({ status: 'error', text: expect.stringContaining('query') });
  expect(server.searches).toHaveLength(0);
});
