import type { Work } from '../../../protocol/search.ts';

/** A work with its text, as its provider gives it, before `tidied`. */
export interface Found extends Work {
  text: string;
}

export interface SearchProvider {
  /**
   * Finds what fits a query, the best first.
   *
   * @param wanted how many results will be used; there may be more
   * @throws `ApplicationFailure` of type `SearchFailed`; the signal's reason when it is aborted
   */
  find(query: string, wanted: number, signal: AbortSignal): Promise<Found[]>;
}
