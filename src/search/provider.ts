import type { ResearchSettings } from '../config/research.ts';
import type { Work } from '../protocol/search.ts';

/** What a configuration of research says about searching. */
export type SearchSettings = ResearchSettings['search'];

/** A work as its provider gives it, not tidied yet. */
export interface Found extends Work {
  text: string;
}

/** A place to search. */
export interface SearchProvider {
  /**
   * What fits a query, the best first.
   *
   * @param wanted how many will be taken; there may be more
   * @throws `ApplicationFailure` of type `SearchFailed`; the signal's reason when it is aborted
   */
  find(query: string, wanted: number, signal: AbortSignal): Promise<Found[]>;
}
