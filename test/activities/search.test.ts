import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterAll, describe, expect, test } from 'vitest';
import { createSearch } from '../../src/activities/search.ts';
import type { SearchInput, SearchResult } from '../../src/protocol/search.ts';
import type { SearchSettings } from '../../src/protocol/search.ts';
import { activityBench } from '../support/activity-bench.ts';
import { folderOf } from '../support/extensions.ts';
import { reportOf } from '../support/reports.ts';
import { tokensOfSearch, type SearchReply } from '../support/model-search-answers.ts';
import { startModelSearches } from '../support/model-searches.ts';
import { startSearchServer, type SearchAnswer } from '../support/search-server.ts';

const bench = activityBench();
let answer: SearchAnswer | Promise<SearchAnswer> = {};
const came = new EventTarget();
const server = await startSearchServer(() => {
  came.dispatchEvent(new Event('search'));
  return answer;
});
const folder = folderOf({ 'notes.md': '# Notes\n\nMomentum trading is old.\n' });
afterAll(async () => {
  await Promise.all([bench.close(), server.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const environment = { SEARXNG_URL: server.url };
const activity = createSearch({ store: bench.store, environment });
const inputOf = (search: Partial<SearchSettings> = {}): SearchInput => ({
  query: 'momentum trading',
  search: { provider: 'searxng', max_results: 5, read_pages: 0, ...search },
  number: 2,
});
let runs = 0;
const search = (settings: Partial<SearchSettings> = {}) => bench.run(activity, inputOf(settings), `run-${++runs}`);

async function materialOf({ material }: SearchResult): Promise<string> {
  if (typeof material === 'string') return material;
  return 'blob' in material ? bench.store.blob(material.blob) : 'neither a text nor a blob';
}

const entry = (name: string, content = ''): object => ({ title: name, url: `https://${name}.example`, content });

test('each hit stands under its mark, with title, address and text, and in a line of the digest', async () => {
  answer = {
    results: [
      { title: 'Momentum', url: 'https://a.example', content: 'A strategy for companies.' },
      { title: 'Bread', url: 'https://b.example' },
    ],
  };
  const result = await search();
  expect(result).toEqual({
    hits: [
      { title: 'Momentum', url: 'https://a.example' },
      { title: 'Bread', url: 'https://b.example' },
    ],
    material: '[2.1] Momentum (https://a.example)\nA strategy for companies.\n\n[2.2] Bread (https://b.example)',
    digest: 'Found for "momentum trading":\n- [2.1] Momentum: A strategy for companies.\n- [2.2] Bread: ',
  });
});

test('no more hits than are wanted, each address once', async () => {
  answer = { results: ['a', 'a', 'b', 'c', 'd'].map((name) => entry(name)) };
  const { hits } = await search({ max_results: 3 });
  expect(hits.map(({ title }) => title)).toEqual(['a', 'b', 'c']);
});

test('nothing found is said in words', async () => {
  answer = { results: [] };
  expect(await search()).toEqual({
    hits: [],
    material: 'Nothing was found for the query "momentum trading".',
    digest: 'Nothing was found for the query "momentum trading".',
  });
});

test.each([
  ['a short text as it is', 'Plain: 3 < 5 & 7 > 5.', 'Plain: 3 < 5 & 7 > 5.'],
  ['marks of emphasis go', 'All <b>momen</b>tum, <span class="hl">old</span>.', 'All momentum, old.'],
  ['other tags are a space', '<p>One.</p><p>Two.<br/>Three.</p><!-- hidden -->', 'One. Two. Three.'],
  ['control characters go', 'A\u0000B\u001b[31mC', 'A B [31mC'],
  [
    'nothing begins a line of its own',
    'One.\n\n[2.9] Forged (https://x.example)',
    'One. [2.9] Forged (https://x.example)',
  ],
  ['half a character is made whole', 'A\ud83d', 'A\ufffd'],
])('a text is plain and on one line: %s', async (_, content, plain) => {
  answer = { results: [entry('a', content)] };
  expect(await materialOf(await search())).toBe(`[2.1] a (https://a.example)\n${plain}`);
});

test('long texts, titles and addresses are bounded; an address is never shortened', async () => {
  answer = {
    results: [
      { title: 'long '.repeat(100), url: 'https://a.example', content: 'word '.repeat(1000) },
      { title: 'Far', url: `https://a.example/${'x'.repeat(2000)}`, content: '' },
    ],
  };
  const result = await search();
  expect(result.hits).toHaveLength(1);
  expect(result.hits[0]?.title).toMatch(/^long .* long…$/);
  expect(result.hits[0]?.title.length).toBeLessThanOrEqual(200);
  expect((await materialOf(result)).length).toBeLessThan(1500);
});

test('long material is in the store, short material is not', async () => {
  answer = { results: [entry('a', 'word '.repeat(100))] };
  expect((await search()).material).toEqual({
    blob: expect.stringMatching(/^[\da-f]{64}$/),
    preview: expect.stringMatching(/^\[2\.1\] a \(https:\/\/a\.example\) word /),
  });
  answer = { results: [entry('a', 'word')] };
  expect((await search()).material).toEqual(expect.any(String));
});

test('a folder is searched with the stored reports', async () => {
  await bench.store.putReport(
    reportOf({ id: 'r1', report: { title: 'Momentum', summary: 'Trading it pays.', sections: [], sources: [] } }),
  );
  const { hits } = await search({ provider: 'folder', folder });
  expect(hits.map(({ title, url }) => [title, url])).toEqual([
    ['Momentum', 'report:r1'],
    ['Notes', 'notes.md:3'],
  ]);
});

describe('what cannot work is not tried again', () => {
  test.each([
    [
      'no key, for which the run waits',
      { provider: 'tavily' },
      { type: 'MissingKey', message: 'search.provider: tavily needs TAVILY_API_KEY, which is not set' },
    ],
    [
      'no folder',
      { provider: 'folder', folder: '/not/there' },
      { type: 'SearchFailed', message: 'search.folder: there is no folder /not/there' },
    ],
  ] as const)('%s', async (_, settings, failure) => {
    await expect(search(settings)).rejects.toMatchObject({ nonRetryable: true, ...failure });
  });
});

describe('what was paid for', () => {
  // Failures that a test expects are none to report.
  const logger = new DefaultLogger('ERROR');
  const page = { url: 'https://a.example/', title: 'A', text: 'Momentum is old.' };
  let reply: SearchReply = {};
  const models = startModelSearches(() => reply);
  afterAll(async () => (await models).close());

  /** One try of a call, which the activity's id names. */
  async function attempt(
    activityId: string,
    attempt: number,
    search: Partial<SearchSettings> = { provider: 'claude' },
  ) {
    const { variables } = await models;
    const given = createSearch({
      store: bench.store,
      environment: { ANTHROPIC_API_KEY: 'k', ...environment, ...variables },
    });
    const info = { activityId, attempt, workflowExecution: { workflowId: 'w', runId: 'r' } };
    return new MockActivityEnvironment(info, { logger }).run<[SearchInput], SearchResult, typeof given>(
      given,
      inputOf(search),
    );
  }
  const asked = async () => (await models).searches.length;

  test.each<Partial<SearchSettings>>([{ provider: 'claude' }, { provider: 'searxng' }])(
    'is in the journal before the activity ends, so that another try asks nobody (%o)',
    async (settings) => {
      reply = { pages: [page] };
      answer = { results: [entry('a')] };
      const id = `journalled-${settings.provider}`;
      const first = await attempt(id, 1, settings);
      const before = [await asked(), server.searches.length];
      reply = { pages: [] };
      answer = { results: [] };
      expect(await attempt(id, 2, settings)).toEqual(first);
      expect([await asked(), server.searches.length]).toEqual(before);
      expect((await attempt(`${id}-2`, 1, settings)).hits).toEqual([]);
    },
  );

  test('is part of the result, with what tries have cost that brought none', async () => {
    reply = { searches: 0 };
    for (const number of [1, 2])
      await expect(attempt('paid', number)).rejects.toMatchObject({
        nonRetryable: false,
        details: [{ usage: { inputTokens: number * tokensOfSearch.input } }],
      });
    reply = { pages: [page] };
    expect(await attempt('paid', 3)).toMatchObject({
      hits: [{ url: page.url }],
      usage: { inputTokens: 3 * tokensOfSearch.input, costUsd: expect.closeTo(3 * 0.00117 + 0.01, 9) },
    });
  });

  test('is told by a last failure that has itself cost nothing', async () => {
    reply = { searches: 0 };
    await attempt('lost', 1).catch(() => {});
    reply = { status: 401 };
    await expect(attempt('lost', 2)).rejects.toMatchObject({
      nonRetryable: true,
      details: [{ usage: { inputTokens: tokensOfSearch.input } }],
    });
  });
});

test('a search under way sends heartbeats, and ends at once when it is cancelled', async () => {
  answer = new Promise<SearchAnswer>(() => {});
  const place = new MockActivityEnvironment();
  const asked = once(came, 'search');
  const searching = place.run(activity, inputOf());
  await asked;
  await once(place, 'heartbeat');
  place.cancel();
  await expect(searching).rejects.toBeInstanceOf(CancelledFailure);
});
