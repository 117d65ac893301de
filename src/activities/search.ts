import type { SearchInput, SearchResult } from '../protocol/search.ts';
import { openSearch, type SearchDependencies } from '../tools/web/search/open-search.ts';
import type { Found } from '../tools/web/search/provider.ts';
import { bounded, tidied } from '../tools/web/search/tidy.ts';
import { cancellable } from './cancellable.ts';
import { storedIfLong } from './pages.ts';

/**
 * The activity `search` asks the configured provider one query of a plan.
 *
 * @throws `ApplicationFailure` of type `MissingKey`, or `SearchFailed`, retryable if the service may have recovered by the next attempt
 */
export function createSearch(dependencies: SearchDependencies) {
  const { store } = dependencies;
  return async function search({ query, search, number }: SearchInput): Promise<SearchResult> {
    const provider = openSearch(search, dependencies);
    const found = await cancellable((signal) => provider.find(query, search.max_results, signal));
    const works = tidied(found).slice(0, search.max_results);
    return {
      hits: works.map(({ title, url }) => ({ title, url })),
      material: await storedIfLong(store, materialOf(works, query, number)),
      digest: await storedIfLong(store, digestOf(works, query, number)),
    };
  };
}

const nothingFor = (query: string): string => `Nothing was found for the query "${query}".`;

function materialOf(works: Found[], query: string, number: number): string {
  if (works.length === 0) return nothingFor(query);
  return works
    .map(({ title, url, text }, index) => `[${number}.${index + 1}] ${title} (${url})\n${text}`.trimEnd())
    .join('\n\n');
}

/** The longest digest, and the longest text in it, in characters. */
const longest = { digest: 2000, text: 200 };

function digestOf(works: Found[], query: string, number: number): string {
  if (works.length === 0) return nothingFor(query);
  const lines = works.map(
    ({ title, text }, index) => `- [${number}.${index + 1}] ${title}: ${bounded(text, longest.text)}`,
  );
  return bounded([`Found for "${query}":`, ...lines].join('\n'), longest.digest);
}
