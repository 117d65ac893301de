import { ActivityFailure, isCancellation, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { Plan } from '../../protocol/research.ts';
import type { SearchResult } from '../../protocol/search.ts';
import { similarWorks } from './rules/prior-art.ts';
import type { Draft, ResearchContext } from './context.ts';

const { recallReports } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

/** Runs all queries of a plan, and gathers works similar to its idea from the hits and the stored reports. */
export async function search(context: ResearchContext, draft: Draft, { idea, queries }: Plan): Promise<void> {
  context.phase = 'searching';
  const [recalled, ...results] = await Promise.all([
    recallReports({ idea }),
    ...queries.map((query, index) => searchOne(context, draft, idea, query, index + 1)),
  ]);
  const hits = results.flatMap((result, query) =>
    typeof result === 'string' ? [] : result.hits.map((hit, index) => ({ mark: `${query + 1}.${index + 1}`, hit })),
  );
  draft.found = {
    hits,
    gaps: results.filter((result) => typeof result === 'string'),
    material: results.flatMap((result) => (typeof result === 'string' ? [] : [result.material])),
    similar: similarWorks(
      hits.map(({ hit }) => hit),
      recalled,
    ),
  };
}

/** Runs one query. @returns the gap in words if the search has failed */
async function searchOne(
  { events, gaps, settings }: ResearchContext,
  { number: iteration }: Draft,
  idea: string,
  query: string,
  number: number,
): Promise<SearchResult | string> {
  const activities = proxyActivities<Activities>({
    summary: `web_research · search · iteration ${iteration} · ${query}`,
    startToCloseTimeout: '30 seconds',
    heartbeatTimeout: '15 seconds',
    retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumAttempts: 3 },
  });
  try {
    const result = await activities.search({ query, idea, number, search: settings.search });
    events.emit({ type: 'searched', query, found: result.hits.length });
    return result;
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const gap = `"${query}": ${error.cause?.message ?? error.message}`;
    events.emit({ type: 'gap', text: `Not searched: ${gap}` });
    gaps.push(`Not searched (iteration ${iteration}): ${gap}`);
    return gap;
  }
}
