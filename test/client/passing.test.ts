import { QueryRejectedError, ServiceError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { UnservedError } from '../../src/client/errors.ts';
import { isPassing } from '../../src/client/snapshot.ts';

const grpc = (code: number): Error => Object.assign(new Error('grpc'), { code, details: '', metadata: {} });

test.each([
  ['a deadline that a client has passed on', new ServiceError('failed', { cause: grpc(4) }), true],
  ['a deadline of the service itself', grpc(4), true],
  ['a server that is away', grpc(14), true],
  ['a key that is refused', new ServiceError('failed', { cause: grpc(16) }), false],
  ['a key that is refused by the service itself', grpc(7), false],
  ['a run that nobody serves', new UnservedError('Nobody polls'), true],
  ['a run that is paused', new QueryRejectedError(3), true],
  ['a mistake', new TypeError('of undefined'), false],
])('whether it may succeed later: %s', (_, error, expected) => {
  expect(isPassing(error)).toBe(expected);
});
