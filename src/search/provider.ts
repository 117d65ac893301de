import type { Work } from '../protocol/search.ts';

export type { SearchSettings } from '../protocol/search.ts';

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
