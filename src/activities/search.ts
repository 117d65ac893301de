import { ApplicationFailure } from '@temporalio/common';
import type { SearchInput, SearchResult } from '../protocol/search.ts';
import { sumOfUsage } from '../store/store.ts';
import { openSearch, type SearchDependencies } from '../tools/web/search/open-search.ts';
import { paidFailure, paidIn, type SearchHit } from '../tools/web/search/provider.ts';
import { bounded, normalized } from '../tools/web/search/normalize.ts';
import { cancellable } from './cancellable.ts';
import { journalled } from './journalled.ts';
import { storedIfLong } from './pages.ts';
import { recordTry } from './tries.ts';

/**
 * Asks one query of a plan, and pays for it once by the journal. What tries have cost that brought no result is part of
 * the result's usage, or of the failure (`paidIn`).
 * @throws `ApplicationFailure` of type `MissingKey`, or `SearchFailed`, retryable if the service may have recovered
 */
export function createSearch(dependencies: SearchDependencies) {
  const { store } = dependencies;
  return async function search(input: SearchInput): Promise<SearchResult> {
    const { text } = await journalled(store, input, async (key) => ({
      status: 'ok',
      text: await searched(input, key),
    }));
    return JSON.parse(text) as SearchResult;
  };

  async function searched(input: SearchInput, key: string): Promise<string> {
    const search = openSearch(input.search, dependencies);
    const tries = async () => (await store.tries(key)).map(({ usage }) => usage);
    try {
      const { found, usage } = await cancellable((signal) => search(input.query, input.search.max_results, signal));
      const spent = usage && { usage: sumOfUsage([usage, ...(await tries())]) };
      return JSON.stringify({ ...(await resultOf(found, input)), ...spent });
    } catch (error) {
      const usage = paidIn(error);
      if (usage !== undefined) await recordTry(store, key, usage);
      const spent = await tries();
      throw spent.length > 0 && error instanceof ApplicationFailure ? paidFailure(error, sumOfUsage(spent)) : error;
    }
  }

  async function resultOf(found: SearchHit[], { query, search, number }: SearchInput): Promise<SearchResult> {
    const works = normalized(found).slice(0, search.max_results);
    const nothing = works.length === 0 ? `Nothing was found for the query "${query}".` : undefined;
    return {
      hits: works.map(({ title, url }) => ({ title, url })),
      material: await storedIfLong(store, nothing ?? materialOf(works, number)),
      digest: await storedIfLong(store, nothing ?? digestOf(works, query, number)),
    };
  }
}

const materialOf = (works: SearchHit[], number: number): string =>
  works
    .map(({ title, url, text }, index) => `[${number}.${index + 1}] ${title} (${url})\n${text}`.trimEnd())
    .join('\n\n');

const maxChars = { digest: 2000, text: 200 };

function digestOf(works: SearchHit[], query: string, number: number): string {
  const lines = works.map(
    ({ title, text }, index) => `- [${number}.${index + 1}] ${title}: ${bounded(text, maxChars.text)}`,
  );
  return bounded([`Found for "${query}":`, ...lines].join('\n'), maxChars.digest);
}
