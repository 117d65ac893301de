import { ApplicationFailure } from '@temporalio/common';
import type { TokenUsage } from '../../../protocol/message.ts';
import { spentIn, type Work } from '../../../protocol/search.ts';

/** A work with its text, as its provider gives it, before `normalized`. */
export interface SearchHit extends Work {
  text: string;
}

export interface SearchFindings {
  /** The best first. */
  found: SearchHit[];
  /** What it has cost, where the provider says so. */
  usage?: TokenUsage;
}

/**
 * Finds what fits a query.
 *
 * @param wanted how many results will be used; there may be more
 * @throws `ApplicationFailure` of type `SearchFailed`, see `paidIn`; the signal's reason when it is aborted
 */
export type Search = (query: string, wanted: number, signal: AbortSignal) => Promise<SearchFindings>;

const searchFailedType = 'SearchFailed';

/** A failure that comes again until somebody changes what the message names. */
export const searchRefused = (message: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, searchFailedType);

/** A failure that a retry may mend. @param nextRetryDelay the delay that the service asks for, in milliseconds */
export const searchFailed = (message: string, nextRetryDelay?: number): ApplicationFailure =>
  ApplicationFailure.create({
    type: searchFailedType,
    message,
    ...(nextRetryDelay !== undefined && { nextRetryDelay }),
  });

/** A failure, with what the search has cost all the same: which `paidIn` reads. */
export const paidFailure = (failure: ApplicationFailure, usage: TokenUsage): ApplicationFailure =>
  ApplicationFailure.fromError(failure, { details: [{ usage }] });

export const paidIn = (error: unknown): TokenUsage | undefined =>
  error instanceof ApplicationFailure ? spentIn(error.details) : undefined;
