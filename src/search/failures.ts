import { ApplicationFailure } from '@temporalio/common';

/** Type of the failure of a search: retryable where it may be well next time. */
export const SEARCH_FAILED = 'SearchFailed';

/** A search that fails every time until somebody mends what the message names. */
export function searchRefused(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, SEARCH_FAILED);
}

/** @param nextRetryDelay what the service asks for, in milliseconds */
export function searchFailed(message: string, nextRetryDelay?: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: SEARCH_FAILED,
    message,
    ...(nextRetryDelay !== undefined && { nextRetryDelay }),
  });
}
