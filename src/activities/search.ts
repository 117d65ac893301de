import type { Text } from '../protocol/message.ts';
import type { SearchInput, SearchResult } from '../protocol/search.ts';
import { openSearch, type SearchDependencies } from '../search/open-search.ts';
import type { Found } from '../search/provider.ts';
import { similarityOf } from '../search/similarity.ts';
import { tidied } from '../search/tidy.ts';
import type { Store } from '../store/store.ts';
import { cancellable } from './cancellable.ts';

/** Material of so many characters is stored, so that what comes after can name it. */
const storedFrom = 400;

/**
 * The activity `search`: one query of a plan, at its configuration's provider.
 *
 * @throws `ApplicationFailure` of type `SearchFailed`; retryable where the service may be well next time
 */
export function createSearch(dependencies: SearchDependencies) {
  return async function search({ query, idea, search, number }: SearchInput): Promise<SearchResult> {
    const provider = openSearch(search, dependencies);
    const found = await cancellable((signal) => provider.find(query, search.max_results, signal));
    const works = tidied(found).slice(0, search.max_results);
    return {
      hits: works.map(({ title, url, text }) => ({
        title,
        url,
        similarity: similarityOf(idea, `${title} ${text}`),
      })),
      material: await stored(dependencies.store, materialOf(works, query, number)),
    };
  };
}

function materialOf(works: Found[], query: string, number: number): string {
  if (works.length === 0) return `Nothing was found for the query "${query}".`;
  return works
    .map(({ title, url, text }, index) => `[${number}.${index + 1}] ${title} (${url})\n${text}`.trimEnd())
    .join('\n\n');
}

async function stored(store: Store, material: string): Promise<Text> {
  return material.length < storedFrom ? material : { blob: await store.putBlob(material) };
}
