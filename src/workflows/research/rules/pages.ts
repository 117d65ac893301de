import type { SearchSettings } from '../../../protocol/search.ts';
import type { MarkedHit } from './prior-art.ts';

/** The hits whose pages are read: the first hit of each query, then the second of each, each page once. */
export function topPages(hits: MarkedHit[], { provider, read_pages }: SearchSettings): MarkedHit[] {
  if (provider === 'folder') return [];
  const placeOf = ({ mark }: MarkedHit): number => Number(mark.split('.')[1]);
  const byRank = hits.toSorted((one, other) => placeOf(one) - placeOf(other));
  const byUrl = new Map<string, MarkedHit>();
  for (const each of byRank) if (!byUrl.has(each.hit.url)) byUrl.set(each.hit.url, each);
  return [...byUrl.values()].slice(0, read_pages);
}
