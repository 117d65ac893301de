import type { SearchInput, SearchResult } from '../protocol/search.ts';
import { openSearch, type SearchDependencies } from '../search/open-search.ts';
import type { Found } from '../search/provider.ts';
import { similarityOf } from '../search/similarity.ts';
import { tidied } from '../search/tidy.ts';
import { cancellable } from './cancellable.ts';

/** Material of at least so many characters is stored, so that later inputs can refer to it. */
const storedFrom = 400;

/**
 * The activity `search` asks the configured provider one query of a plan.
 *
 * @throws `ApplicationFailure` of type `SearchFailed`, retryable if the service may have recovered by the next attempt
 */
export function createSearch(dependencies: SearchDependencies) {
  return async function search({ query, idea, search, number }: SearchInput): Promise<SearchResult> {
    const provider = openSearch(search, dependencies);
    const found = await cancellable((signal) => provider.find(query, search.max_results, signal));
    const works = tidied(found).slice(0, search.max_results);
    const material = materialOf(works, query, number);
    return {
      hits: works.map(({ title, url, text }) => ({ title, url, similarity: similarityOf(idea, `${title} ${text}`) })),
      material: material.length < storedFrom ? material : { blob: await dependencies.store.putBlob(material) },
    };
  };
}

function materialOf(works: Found[], query: string, number: number): string {
  if (works.length === 0) return `Nothing was found for the query "${query}".`;
  return works
    .map(({ title, url, text }, index) => `[${number}.${index + 1}] ${title} (${url})\n${text}`.trimEnd())
    .join('\n\n');
}
