import { ApplicationFailure } from '@temporalio/common';
import { failureTypes } from '../../protocol/errors.ts';

/** The failure of work for which a variable is not set: the run waits for it. @param message names the variable too */
export function keyMissing(message: string, variable: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, failureTypes.missingKey, message, { variable });
}
