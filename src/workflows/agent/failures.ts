import { failureTypes } from '../../protocol/errors.ts';
import { RetryState, TimeoutType } from '@temporalio/common';
import { ActivityFailure, ApplicationFailure, isCancellation, TimeoutFailure } from '@temporalio/workflow';

/** @param failure of a call that would have been tried again; absent where nothing failed */
export function budgetSpent(limit: string, failure?: string): ApplicationFailure {
  const how = failure === undefined ? 'is spent' : `leaves no time for another try: ${failure}`;
  return ApplicationFailure.nonRetryable(`The budget of ${limit} ${how}`, failureTypes.budgetSpent);
}

export function isBudgetSpent(error: unknown): error is ApplicationFailure {
  return error instanceof ApplicationFailure && error.type === failureTypes.budgetSpent;
}

/** The failure of a type with which an activity has ended; undefined for any other end. */
export function activityFailure(error: unknown, type: string): ApplicationFailure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === type ? cause : undefined;
}

interface CallFailure {
  /** Whether the call's time was up before a try succeeded. */
  timedOut: boolean;
  /** Whether it has had all its time. It is given up sooner where another try would come too late. */
  tookAll: boolean;
  reason: string;
  /** The provider's own words, such as `Error code: 400 - …`, else the reason. */
  words: string;
}

/** Reads the failure that a model call threw. @throws the error itself when it is no such failure */
export function callFailure(error: unknown): CallFailure {
  if (error instanceof ApplicationFailure)
    return { timedOut: false, tookAll: false, reason: error.message, words: error.message };
  if (!(error instanceof ActivityFailure)) throw error;
  const timedOut =
    error.retryState === RetryState.TIMEOUT ||
    (error.cause instanceof TimeoutFailure && error.cause.timeoutType === TimeoutType.SCHEDULE_TO_CLOSE);
  const tookAll = timedOut && error.cause instanceof TimeoutFailure;
  // Temporal's own words are of its schedule.
  const reason = tookAll ? 'timed out' : (error.cause?.message ?? error.message);
  const [words] = error.cause instanceof ApplicationFailure ? (error.cause.details ?? []) : [];
  return { timedOut, tookAll, reason, words: typeof words === 'string' ? words : reason };
}

/** Says why a call failed. A spent budget and a cancellation end more than the call, and are thrown on. */
export function failureReason(error: unknown): string {
  if (isCancellation(error) || isBudgetSpent(error)) throw error;
  return callFailure(error).reason;
}
