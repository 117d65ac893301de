import { ApplicationFailure } from '@temporalio/common';

const searchFailedType = 'SearchFailed';

/** A failure that comes again until somebody changes what the message names. */
export function searchRefused(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, searchFailedType);
}

/** A failure that a retry may mend. @param nextRetryDelay the delay that the service asks for, in milliseconds */
export function searchFailed(message: string, nextRetryDelay?: number): ApplicationFailure {
  const delay = nextRetryDelay === undefined ? {} : { nextRetryDelay };
  return ApplicationFailure.create({ type: searchFailedType, message, ...delay });
}
