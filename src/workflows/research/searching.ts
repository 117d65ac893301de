import { ActivityFailure, ApplicationFailure, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../protocol/activities.ts';
import type { Plan } from '../../protocol/research.ts';
import { isModelSearch, spentIn, type SearchResult, type SearchSettings } from '../../protocol/search.ts';
import { budgetSpent, failureReason } from '../agent/failures.ts';
import { pageMaterial } from './prompts.ts';
import { isReport, type MarkedHit } from './rules/prior-art.ts';
import type { Draft, SearchOutcome, ResearchContext } from './context.ts';

export async function search(context: ResearchContext, draft: Draft, { queries }: Plan): Promise<void> {
  context.phase = 'searching';
  draft.found = await searchAll(context, draft, queries, 1);
}

/** Searches once more for what the critic misses. A second call does nothing, unless the first was interrupted. */
export async function followUp(context: ResearchContext, draft: Draft): Promise<void> {
  const { criticism, found } = draft;
  const queries = [...(criticism?.queries ?? [])];
  if (found === undefined || queries.length === 0) return;
  context.phase = 'searching';
  const more = await searchAll(context, draft, queries, found.queries.length + 1);
  criticism?.queries.splice(0);
  draft.found = {
    queries: [...found.queries, ...more.queries],
    material: [...found.material, ...more.material],
    digests: [...found.digests, ...more.digests],
    hits: [...found.hits, ...more.hits],
    gaps: [...found.gaps, ...more.gaps],
  };
}

/** @param first the number of the first query in its iteration, by which its hits are cited */
async function searchAll(
  context: ResearchContext,
  draft: Draft,
  queries: string[],
  first: number,
): Promise<SearchOutcome> {
  const limit = isModelSearch(context.settings.search.provider) ? context.usage.spentLimit : undefined;
  if (limit !== undefined) throw budgetSpent(limit);
  const results = await Promise.all(queries.map((query, index) => searchOne(context, draft, query, first + index)));
  const done = results.filter((result) => typeof result !== 'string');
  const hits = results.flatMap((result, query): MarkedHit[] =>
    typeof result === 'string' ? [] : result.hits.map((hit, index) => ({ mark: `${first + query}.${index + 1}`, hit })),
  );
  const pages = await readPages(context, draft, hits);
  return {
    queries,
    hits,
    gaps: results.filter((result) => typeof result === 'string'),
    material: [...done.map(({ material }) => material), ...pages],
    digests: done.map(({ digest }) => digest),
  };
}

/** Runs one query. @returns the gap in words if the search has failed */
async function searchOne(
  { events, gaps, keys, models, settings }: ResearchContext,
  { number: iteration }: Draft,
  query: string,
  number: number,
): Promise<SearchResult | string> {
  const activities = proxyActivities<Activities>({
    summary: `web_research · search · iteration ${iteration} · ${query}`,
    // A search has limits of its own. It is paid for, so that its result is kept in hand until the store takes it.
    startToCloseTimeout: '30 minutes',
    heartbeatTimeout: '15 seconds',
    retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumAttempts: 3 },
  });
  try {
    const input = { query, number, search: settings.search };
    const result = await keys.orWait('planner', () => activities.search(input));
    models.searched(result.usage);
    const reports = result.hits.filter(isReport).length;
    events.emit({ type: 'searched', query, found: result.hits.length, ...(reports > 0 && { reports }) });
    return result;
  } catch (error) {
    const gap = `"${query}": ${failureReason(error)}`;
    const cause = error instanceof ActivityFailure ? error.cause : undefined;
    models.searched(cause instanceof ApplicationFailure ? spentIn(cause.details) : undefined);
    events.emit({ type: 'gap', text: `Not searched: ${gap}` });
    gaps.push(`Not searched (iteration ${iteration}): ${gap}`);
    return gap;
  }
}

/** Reads the pages of the best hits on the web, each once in a run. What cannot be read still stands there as a hit. */
async function readPages(
  context: ResearchContext,
  { number }: Draft,
  hits: MarkedHit[],
): Promise<SearchOutcome['material']> {
  const { events, pages, settings } = context;
  const chosen = topPages(hits, settings.search);
  const { readPage } = proxyActivities<Activities>({
    summary: `web_research · read · iteration ${number}`,
    startToCloseTimeout: '30 seconds',
    heartbeatTimeout: '15 seconds',
    retry: { maximumAttempts: 2 },
  });
  await Promise.all(
    chosen.map(async ({ hit: { url }, mark }) => {
      if (pages.has(url)) return;
      const read = await readPage({ url }).catch((error: unknown) => ({ why: failureReason(error) }));
      const { text, ...told } = 'why' in read ? { text: undefined, characters: 0, ...read } : read;
      pages.set(url, text);
      events.emit({ type: 'page', mark, url, ...told });
    }),
  );
  return chosen.flatMap(({ hit: { url }, mark }) => {
    const text = pages.get(url);
    return text === undefined ? [] : [pageMaterial(mark, text)];
  });
}

/** The first hit of each query, then the second of each, each page once. */
function topPages(hits: MarkedHit[], { provider, read_pages }: SearchSettings): MarkedHit[] {
  if (provider === 'folder') return [];
  const placeOf = ({ mark }: MarkedHit): number => Number(mark.split('.')[1]);
  const byUrl = new Map<string, MarkedHit>();
  for (const each of hits.toSorted((one, other) => placeOf(one) - placeOf(other)))
    if (!byUrl.has(each.hit.url)) byUrl.set(each.hit.url, each);
  return [...byUrl.values()].slice(0, read_pages);
}
