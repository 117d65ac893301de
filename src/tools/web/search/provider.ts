import type { TokenUsage } from '../../../protocol/message.ts';
import type { Work } from '../../../protocol/search.ts';

/** A work with its text, as its provider gives it, before `tidied`. */
export interface SearchHit extends Work {
  text: string;
}

export interface SearchFindings {
  /** The best first. */
  found: SearchHit[];
  /** What it has cost, where the provider says so. */
  usage?: TokenUsage;
}

export interface SearchProvider {
  /**
   * Finds what fits a query.
   *
   * @param wanted how many results will be used; there may be more
   * @throws `ApplicationFailure` of type `SearchFailed`, see `paidIn`; the signal's reason when it is aborted
   */
  find(query: string, wanted: number, signal: AbortSignal): Promise<SearchFindings>;
}
