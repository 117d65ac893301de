import { DefaultFailureConverter, type FailureConverter } from '@temporalio/common';
import { encryptsGlobal } from '../protocol/headers.ts';
import { failureConverter as encoded } from './encoded-failures.ts';

const plain = new DefaultFailureConverter();

/** The worker sets this global of the sandbox where it encrypts, since one bundle serves with encryption and without. */
const isEncrypted = (): boolean => (globalThis as Record<string, unknown>)[encryptsGlobal] === true;

/** Writes failures of workflows as the worker's encryption needs them. */
export const failureConverter: FailureConverter = {
  errorToFailure: (...given) => (isEncrypted() ? encoded : plain).errorToFailure(...given),
  failureToError: (...given) => plain.failureToError(...given),
};
