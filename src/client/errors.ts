import { isGrpcServiceError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { maxAnswerChars } from '../protocol/questions.ts';

/** There is no run of that id, or it has ended, so that it takes nothing from a person. */
export class RunNotOpenError extends Error {
  override name = 'RunNotOpenError';
}

/** A run was to be started under the id of one that is open, or over HTTP of one that has another input. */
export class RunExistsError extends Error {
  override name = 'RunExistsError';

  constructor(id: string, how = 'with another input') {
    super(`There is a run of the id ${id} already, ${how}`);
  }
}

/** An answer is longer than any run would take, and was not sent. */
export class AnswerTooLongError extends Error {
  override name = 'AnswerTooLongError';

  constructor(characters: number) {
    const [found, most] = [characters, maxAnswerChars].map((each) => each.toLocaleString('en-US'));
    super(`The answer has ${found} characters, and all answers of a session may have ${most} together`);
  }
}

/** The input of a run or of a turn is larger than any run would take, and was not sent. */
export class InputTooLargeError extends Error {
  override name = 'InputTooLargeError';
}

/** A run that has had as many signals as Temporal takes was sent an update instead, and would not have been changed by it. */
export class MessageRefusedError extends Error {
  override name = 'MessageRefusedError';

  constructor(id: string, why: string) {
    super(`The run ${id} does not take this: ${why}`);
  }
}

/**
 * A run takes nothing of the kind that a person sends: it is `unknown` or `closed` what it is for, or `wrong` for this run, or
 * the worker that knows is `away`.
 */
export class NotTakenError extends Error {
  override name = 'NotTakenError';
  readonly why: 'unknown' | 'closed' | 'wrong' | 'away';

  constructor(why: NotTakenError['why'], message: string) {
    super(message);
    this.why = why;
  }
}

/** The configuration in a run's input holds a secret itself, and was not sent: it would be kept with the run. */
export class SecretInConfigError extends Error {
  override name = 'SecretInConfigError';
}

/** No worker serves a run: none polls for it, or the one that does cannot go on with it. The run is not ended by that. */
export class UnservedError extends Error {
  override name = 'UnservedError';
}

/** A server has refused a request over HTTP, with a status from 400 on that no other error stands for. */
export class RequestRefusedError extends Error {
  override name = 'RequestRefusedError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** No server answers where one was to be reached. Its `cause` is what the client that tried says of it. */
export class UnreachableError extends Error {
  override name = 'UnreachableError';

  /** @param help what to do; absent: about Temporal's server */
  constructor(address: string, cause: unknown, help?: string) {
    const who = help === undefined ? 'Temporal' : 'Reprise';
    super(`${who} does not answer at ${address} (${reasonIn(cause)}). ${help ?? temporalHelp}`, { cause });
  }
}

const temporalHelp =
  'Start it here, with a worker: npx reprise up. Or name the address of another server: connect({ address }) or TEMPORAL_ADDRESS';

/** What gRPC says of a connection, without its words around it. */
function reasonIn(error: unknown): string {
  const cause = error instanceof ServiceError ? error.cause : error;
  const { cause: inner } = cause as Error;
  const said = !isGrpcServiceError(cause) && inner instanceof Error ? inner.message : temporalReason(cause);
  return /Last error: (?:Error: )?(.*?)\.? Resolution note/.exec(said)?.[1] ?? said;
}

/** The reason in an error: where it comes from gRPC, the server's own words rather than those around them. */
export function temporalReason(error: unknown): string {
  const details = grpcErrorIn(error)?.details;
  if (details === undefined) return error instanceof Error ? error.message : String(error);
  // Of a deadline, how long it was, where the time went, and the server's address.
  const deadline = /^Deadline exceeded after (\d+)[\d.]*s(?:.*remote_addr=([^\s,]+))?/;
  const [, seconds, address] = deadline.exec(details) ?? [];
  if (seconds === undefined) return details;
  return `no answer within ${seconds} s${address === undefined ? '' : ` from ${address}`}`;
}

/** What gRPC itself says in an error: of what is asked of the service itself it comes without the words around it. */
export function grpcErrorIn(error: unknown) {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) ? cause : undefined;
}

/** What is asked about a run; undefined where there is none. */
export const ifFound = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  });
