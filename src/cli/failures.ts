import { isGrpcServiceError, ServiceError, WorkflowFailedError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, NamespaceNotFoundError, TerminatedFailure } from '@temporalio/common';
import {
  AnswerTooLongError,
  BadKeyError,
  InputTooLargeError,
  MessageRefusedError,
  RunNotOpenError,
  SecretInConfigError,
  TamperedError,
  UnknownKeyError,
  UnservedError,
} from '../client.ts';
import { NotTakenError, temporalReason } from '../client/errors.ts';
import { SetupError } from '../util/environment.ts';
import { ModelNameError } from '../config/models/model-name.ts';
import { OtherAddressError } from '../local/home-server.ts';
import { UnsafeHomeError } from '../local/protect-home.ts';
import { isOutOfOrder } from '../store/open-store.ts';
import { CommandError, exitStatus, usageError } from './exit.ts';

/** Puts an error of Temporal's client into words, with a fitting exit status. Other errors are returned unchanged. */
export function asCommandError(error: unknown): unknown {
  if (error instanceof WorkflowFailedError || error instanceof WorkflowUpdateFailedError) return runFailed(error);
  if (error instanceof ModelNameError || error instanceof SetupError) return usageError(error.message);
  if (error instanceof UnsafeHomeError || error instanceof OtherAddressError) return usageError(error.message);
  if (error instanceof AnswerTooLongError || error instanceof InputTooLargeError) return usageError(error.message);
  if (error instanceof BadKeyError || error instanceof UnknownKeyError || error instanceof SecretInConfigError)
    return usageError(error.message);
  if (error instanceof NotTakenError && error.why === 'wrong') return usageError(error.message);
  if (error instanceof RunNotOpenError || error instanceof MessageRefusedError || error instanceof UnservedError)
    return new CommandError(error.message);
  if (error instanceof NotTakenError || error instanceof TamperedError) return new CommandError(error.message);
  if (isOutOfOrder(error)) return new CommandError((error as Error).message);
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
    return new CommandError(
      'The disk of REPRISE_HOME is full: make room there, or let it name a folder on another one',
    );
  const closed = closedPlace(error);
  if (closed !== undefined) return usageError(`${closed.path}: ${closed.why}`);
  const namespace = missingNamespace(error);
  if (namespace !== undefined)
    return usageError(`Temporal has no namespace "${namespace}": check TEMPORAL_NAMESPACE, or have it made there`);
  const cause = error instanceof ServiceError ? error.cause : error;
  if (!(error instanceof ServiceError || isGrpcServiceError(error))) return error;
  // INVALID_ARGUMENT, as for an id that is too long.
  const isRefused = isGrpcServiceError(cause) && [3].includes(cause.code);
  return new CommandError(`Temporal: ${reasonOf(error)}`, isRefused ? exitStatus.usage : exitStatus.unreachable);
}

/** The path that the system has not let be opened or made, of which nothing was known beforehand. Of a disk that only reads Node says ENOENT. */
function closedPlace(error: unknown): { path: string; why: string } | undefined {
  const { code = '', path = '', syscall = '' } = error as NodeJS.ErrnoException;
  if (syscall === 'mkdir' && /^(?:EEXIST|ENOTDIR)$/.test(code)) return { path, why: 'is no folder; name another one' };
  const codes = syscall === 'mkdir' ? /^(?:EACCES|EPERM|EROFS|ENOENT)$/ : /^(?:EACCES|EPERM|EROFS)$/;
  if (!/^(?:mkdir|open)$/.test(syscall) || !codes.test(code)) return undefined;
  return { path, why: 'no permission. Go to another folder, or let REPRISE_HOME name one that Reprise may write to' };
}

/** Only some calls of the client have an error class for it; the server's message is always the same. */
function missingNamespace(error: unknown): string | undefined {
  if (error instanceof NamespaceNotFoundError) return error.namespace;
  return /^Namespace (\S+) is not found/.exec(reasonOf(error))?.[1];
}

function runFailed({ cause }: WorkflowFailedError | WorkflowUpdateFailedError): CommandError {
  if (cause instanceof CancelledFailure) return new CommandError('The run was cancelled');
  if (cause instanceof TerminatedFailure) return new CommandError(`The run was terminated: ${cause.message}`);
  let innermost = cause ?? new Error('The run failed');
  while (innermost.cause instanceof Error) innermost = innermost.cause;
  const isInput = innermost instanceof ApplicationFailure && innermost.type === 'InvalidInput';
  return new CommandError(alikeTogether(innermost.message), isInput ? exitStatus.usage : exitStatus.failed);
}

/** A failure with a line `who: why` for each, in which those who have failed alike share one: `a, b: 401 …`. */
export function alikeTogether(text: string): string {
  const lines = Map.groupBy(text.split('\n'), (line, at) => /^[\w-]+(: .+)$/.exec(line)?.[1] ?? at);
  return [...lines]
    .map(([why, each]) =>
      typeof why === 'number' ? each[0] : each.map((line) => line.slice(0, -why.length)).join(', ') + why,
    )
    .join('\n');
}

export function reasonOf(error: unknown): string {
  const innermost = error instanceof ServiceError ? error.cause : error;
  const hint = isGrpcServiceError(innermost) ? hints[innermost.code] : undefined;
  return `${temporalReason(error)}${hint ?? ''}`;
}

/** What to check, by gRPC's code: PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED. */
const hints: Record<number, string> = {
  7: ' (check TEMPORAL_API_KEY and TEMPORAL_NAMESPACE)',
  12: ' (is it a Temporal server?)',
  16: ' (check TEMPORAL_API_KEY)',
};
