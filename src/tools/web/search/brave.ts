import { z } from 'zod';
import { ask, resultsIn, type Search, type Service } from './provider.ts';

const service: Service = {
  provider: 'brave',
  addressVariable: 'BRAVE_BASE_URL',
  hints: {
    400: 'it does not take this query',
    401: 'check BRAVE_API_KEY',
    403: 'check BRAVE_API_KEY',
    422: 'check BRAVE_API_KEY; a query that it does not take is refused like that too',
    429: 'too many searches at once',
  },
  wait: waitOf,
};

/** The longest query that Brave accepts, and the most results that it gives (its API reference, Query Parameters). */
const limits = { characters: 400, words: 50 };
const mostResults = 20;

/** Searches with Brave. @param baseUrl absent: Brave's own address */
export function searchBrave(key: string, baseUrl = 'https://api.search.brave.com/res/v1'): Search {
  return async (query, wanted, signal) => {
    const url = new URL(`${baseUrl.replace(/\/+$/, '')}/web/search`);
    url.searchParams.set('q', shortened(query));
    url.searchParams.set('count', String(Math.min(mostResults, wanted)));
    url.searchParams.set('result_filter', 'web');
    url.searchParams.set('text_decorations', 'false');
    const headers = { accept: 'application/json', 'x-subscription-token': key };
    return { found: resultsIn(listOf(await ask(service, { url, headers }, signal)), service) };
  };
}

const shortened = (query: string): string =>
  query.trim().split(/\s+/).slice(0, limits.words).join(' ').slice(0, limits.characters).toWellFormed();

const answerSchema = z.object({
  type: z.literal('search'),
  web: z.object({ results: z.array(z.unknown()) }).nullish(),
});

const describedSchema = z.looseObject({ description: z.unknown() });

/** The results as the other services name their parts. An answer to a query without results has no `web` at all. */
function listOf(answer: unknown): unknown {
  const { success, data } = answerSchema.safeParse(answer);
  if (!success) return answer;
  const results = (data.web?.results ?? []).map((result) => {
    const described = describedSchema.safeParse(result);
    return described.success ? { ...described.data, content: described.data.description } : result;
  });
  return { results };
}

/** Each answer states two limits: one of a second, and one of a month, which comes too late (Response Headers). */
function waitOf(headers: Headers): number | undefined {
  const [remaining, reset] = ['x-ratelimit-remaining', 'x-ratelimit-reset'].map((name) =>
    (headers.get(name) ?? '').split(',').map((text) => (text.trim() === '' ? NaN : Number(text))),
  );
  const seconds = (reset ?? []).filter((each, index) => remaining?.[index] === 0 && Number.isFinite(each));
  return seconds.length === 0 ? undefined : Math.max(...seconds) * 1000;
}
