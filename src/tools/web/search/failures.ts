import { ApplicationFailure } from '@temporalio/common';
import type { TokenUsage } from '../../../protocol/message.ts';
import { spentIn } from '../../../protocol/search.ts';

const searchFailedType = 'SearchFailed';

/** A failure, with what the search has cost all the same: which `paidIn` reads. */
export const paidFailure = (failure: ApplicationFailure, usage: TokenUsage): ApplicationFailure =>
  ApplicationFailure.fromError(failure, { details: [{ usage }] });

export const paidIn = (error: unknown): TokenUsage | undefined =>
  error instanceof ApplicationFailure ? spentIn(error.details) : undefined;

/** A failure that comes again until somebody changes what the message names. */
export function searchRefused(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, searchFailedType);
}

/** A failure that a retry may mend. @param nextRetryDelay the delay that the service asks for, in milliseconds */
export function searchFailed(message: string, nextRetryDelay?: number): ApplicationFailure {
  const delay = nextRetryDelay === undefined ? {} : { nextRetryDelay };
  return ApplicationFailure.create({ type: searchFailedType, message, ...delay });
}
