import { ServiceError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, NamespaceNotFoundError } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { AnswerTooLongError, RunExistsError, RunNotOpenError, UnservedError } from '../../src/client.ts';
import { NotTakenError } from '../../src/client/errors.ts';
import { HttpProblem, problemOf } from '../../src/serve/problems.ts';

const invalid = ApplicationFailure.nonRetryable('agents: at least one', 'InvalidInput');
const grpc = Object.assign(new Error('14 UNAVAILABLE: No connection'), {
  code: 14,
  details: 'No connection',
  metadata: {},
});

describe('what has gone wrong has a status, and words that somebody can act on', () => {
  test.for<[error: unknown, status: number, detail: string | RegExp]>([
    [new HttpProblem(415, 'JSON is wanted'), 415, 'JSON is wanted'],
    [new RunNotOpenError('There is no run a'), 404, 'There is no run a'],
    [new RunNotOpenError('The run a is over'), 409, 'The run a is over'],
    [new RunExistsError('a'), 409, 'There is a run of the id a already, with another input'],
    [new AnswerTooLongError(9_000_000), 413, /^The answer has/],
    [new NotTakenError('unknown', 'no such question'), 404, 'no such question'],
    [new NotTakenError('closed', 'it is answered'), 409, 'it is answered'],
    [new NotTakenError('wrong', 'no such choice'), 422, 'no such choice'],
    [new WorkflowNotFoundError('gone', 'a', undefined), 404, 'There is no run of the id a'],
    [new WorkflowUpdateFailedError('failed', invalid), 422, 'agents: at least one'],
    [new WorkflowUpdateFailedError('failed', ApplicationFailure.create({ message: 'boom' })), 502, 'boom'],
    [new UnservedError('Nobody serves it'), 503, 'Nobody serves it'],
    [new NamespaceNotFoundError('team'), 503, 'Temporal has no namespace "team"'],
    [new ServiceError('failed', { cause: grpc }), 503, /^Temporal: .*No connection/],
    [new TypeError('x is not a function at secret.ts'), 500, /^Something went wrong/],
    ['thrown text', 500, /^Something went wrong/],
  ])('%o', ([error, status, detail]) => {
    const problem = problemOf(error);
    expect(problem.status).toBe(status);
    expect(problem.detail).toMatch(detail);
  });
});
