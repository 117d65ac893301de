import { STATUS_CODES } from 'node:http';
import {
  isGrpcServiceError,
  ServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, NamespaceNotFoundError } from '@temporalio/common';
import {
  AnswerTooLongError,
  InputTooLargeError,
  MessageRefusedError,
  RunExistsError,
  RunNotOpenError,
  SecretInConfigError,
  UnservedError,
} from '../client.ts';
import { NotTakenError, temporalReason } from '../client/errors.ts';

/** A request that is refused, with a message that says what would be taken. */
export class HttpProblem extends Error {
  override name = 'HttpProblem';
  readonly status: number;
  readonly headers: Record<string, string>;

  /** @param status of HTTP, from 400 on */
  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** A problem as RFC 9457 has it. */
export interface Problem {
  type: 'about:blank';
  title: string;
  status: number;
  detail: string;
  /** The class of the error, where the library has one: its client over HTTP throws that again. */
  error?: string;
  /** The type of the failure by which a run or a turn ended. */
  failure?: string;
}

/** An error in the words that the command line has for it. What nobody has foreseen is not told, since it may hold anything. */
export function problemOf(error: unknown): Problem {
  const [status, detail] = statusOf(error);
  const title = STATUS_CODES[status] ?? '';
  return { type: 'about:blank', title, status, detail, ...(status !== 500 && namesOf(error)) };
}

function namesOf(error: unknown): Pick<Problem, 'error' | 'failure'> {
  if (!(error instanceof Error) || error instanceof HttpProblem) return {};
  if (!isOfRun(error)) return { error: error.name };
  const innermost = innermostOf(error);
  return { error: error.name, ...(innermost instanceof ApplicationFailure && { failure: innermost.type ?? '' }) };
}

function statusOf(error: unknown): [status: number, detail: string] {
  if (!(error instanceof Error)) return unforeseen;
  const { message } = error;
  if (error instanceof HttpProblem) return [error.status, message];
  if (error instanceof RangeError && message === 'Maximum call stack size exceeded')
    return [422, 'What was sent is nested too deeply'];
  if (error instanceof RunNotOpenError) return [message.startsWith('There is no run') ? 404 : 409, message];
  if (error instanceof RunExistsError || error instanceof MessageRefusedError) return [409, message];
  if (error instanceof AnswerTooLongError) return [413, message];
  // The advice behind it is for whoever may name files of the worker.
  if (error instanceof InputTooLargeError) return [413, message.replace(/; .*$/s, '')];
  if (error instanceof SecretInConfigError) return [422, message];
  if (error instanceof UnservedError) return [503, message];
  if (error instanceof NamespaceNotFoundError) return [503, `Temporal has no namespace "${error.namespace}"`];
  if (error instanceof NotTakenError) return [{ unknown: 404, closed: 409, wrong: 422, away: 503 }[error.why], message];
  if (error instanceof WorkflowNotFoundError) return [404, `There is no run of the id ${error.workflowId}`];
  if (isOfRun(error)) {
    const innermost = innermostOf(error);
    const isInput = innermost instanceof ApplicationFailure && innermost.type === 'InvalidInput';
    return [isInput ? 422 : 502, innermost.message];
  }
  if (error instanceof ServiceError || isGrpcServiceError(error)) return [503, `Temporal: ${temporalReason(error)}`];
  return unforeseen;
}

const unforeseen: [number, string] = [500, 'Something went wrong that is told in the log of the server alone'];

/** Whether it is a run or a turn that has failed. */
const isOfRun = (error: Error): boolean =>
  error instanceof WorkflowFailedError || error instanceof WorkflowUpdateFailedError;

function innermostOf(error: Error): Error {
  let innermost = error;
  while (innermost.cause instanceof Error) innermost = innermost.cause;
  return innermost;
}
