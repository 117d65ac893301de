import { DefaultFailureConverter, type FailureConverter } from '@temporalio/common';

const plain = new DefaultFailureConverter();
const encoding = new DefaultFailureConverter({ encodeCommonAttributes: true });

/**
 * Keeps messages and stacks of failures in a payload, which is encrypted with the others. What is wrong with the keys stays
 * readable, or nobody who lacks the right one could find out which one that is.
 */
export const failureConverter: FailureConverter = {
  errorToFailure: (error, ...rest) => (isAboutKeys(error) ? plain : encoding).errorToFailure(error, ...rest),
  failureToError: (failure, ...rest) => encoding.failureToError(failure, ...rest),
};

const isAboutKeys = (error: unknown): boolean =>
  error instanceof Error && ['UnknownKeyError', 'TamperedError'].includes(error.name);
