import { expect, test } from 'vitest';
import { ServiceError } from '@temporalio/client';
import { CommandError } from '../../src/cli/exit.ts';
import { alikeTogether, asCommandError, reasonOf } from '../../src/cli/failures.ts';
import { assertKnown } from '../../src/store/tables.ts';
import { readRates } from '../../src/models/rates/settings.ts';
import { PostgresUnavailableError } from '../../src/store/postgres.ts';
import { StoreFileError } from '../../src/store/sqlite.ts';
import { readSlots } from '../../src/worker/slots.ts';

const grpc = (code: number, details: string): Error =>
  new ServiceError('Failed', { cause: Object.assign(new Error(details), { code, details, metadata: {} }) });

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

const noPermission = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'mkdir', path: '/x/.reprise' });

test.each<[what: string, error: unknown, status: number, message: string]>([
  ['an id that Temporal does not take', grpc(3, 'WorkflowId exceeds maximum allowed length'), 2, 'WorkflowId exceeds'],
  ['a server that is away', grpc(14, 'No connection'), 3, 'No connection'],
  ['a store that is away', new PostgresUnavailableError('PostgreSQL at x', new Error('refused')), 1, 'The store, Post'],
  ['a store that is damaged', new StoreFileError('The store x is damaged'), 1, 'The store x is damaged'],
  ['a folder that may not be written', noPermission, 2, '/x/.reprise: no permission. Go to another folder'],
  [
    'a disk that is full',
    Object.assign(new Error('write'), { code: 'ENOSPC', syscall: 'write' }),
    1,
    'The disk of REPR',
  ],
  [
    'a disk that only reads',
    Object.assign(new Error('ENOENT'), { code: 'ENOENT', syscall: 'mkdir', path: '/x/.reprise' }),
    2,
    '/x/.reprise: no permission',
  ],
  [
    'a file in the place of a folder',
    Object.assign(new Error('EEXIST'), { code: 'EEXIST', syscall: 'mkdir', path: '/x/team.yaml' }),
    2,
    '/x/team.yaml: is no folder',
  ],
  ['a rate that is none', thrownBy(() => readRates('x')), 2, 'REPRISE_RATES: "x"'],
  ['slots that are none', thrownBy(() => readSlots('x')), 2, 'REPRISE_SLOTS: "x"'],
  ['a store of a newer version', thrownBy(() => assertKnown(99, 'SQLite in x')), 2, 'was written by a newer Reprise'],
  ['slots of an object', thrownBy(() => readSlots('toString=5')), 2, 'REPRISE_SLOTS: "toString=5"'],
])('%s is told in a line, with its exit status', (_, error, status, message) => {
  const failure = asCommandError(error);
  expect(failure).toBeInstanceOf(CommandError);
  expect(failure).toMatchObject({ status, message: expect.stringContaining(message) as string });
});

test.each([
  [
    'Deadline exceeded after 5.002s,metadata filters: 0.001s,remote_addr=127.0.0.1:7233',
    'no answer within 5 s from 127.0.0.1:7233',
  ],
  ['Deadline exceeded after 10.001s', 'no answer within 10 s'],
])('a server that does not answer in time is told by its address: %s', (details, said) => {
  expect(reasonOf(grpc(4, details))).toBe(said);
});

test('those who have failed alike share a line', () => {
  const why = 'openai m: 401 Incorrect API key (check OPENAI_API_KEY)';
  expect(alikeTogether(`No agent has answered.\na: ${why}\nb: Boom\nc: ${why}`)).toBe(
    `No agent has answered.\na, c: ${why}\nb: Boom`,
  );
});

test('any other text stays as it is', () => {
  const text = 'The plan failed:\n\nWhy: so\n\n- one\n- one';
  expect(alikeTogether(text)).toBe(text);
});
