import { get } from 'node:http';
import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { failureOf } from '../../src/tools/run-tool.ts';

/** A host with two addresses, as `localhost` is on most machines. */
const twice: LookupFunction = (_host, _options, found) =>
  found(null, [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]);

test('of a host with several addresses where nothing listens, the agent is told that the connection was refused', async () => {
  const request = get({ host: 'two-addresses.test', port: 1, lookup: twice });
  const cause = await new Promise<Error>((resolve) => request.on('error', resolve));
  expect(failureOf(cause).text).toContain('connect ECONNREFUSED 127.0.0.1:1');
  expect(failureOf(new TypeError('fetch failed', { cause })).text).toMatch(
    /^TypeError: fetch failed \(.*connect ECONNREFUSED 127\.0\.0\.1:1\)$/,
  );
});

test('of several errors in one, the agent is told each', () => {
  const error = new AggregateError([new Error('no room'), new Error('no bed'), 'no bed'], 'Nothing could be booked');
  expect(failureOf(error).text).toBe('AggregateError: Nothing could be booked: no room; no bed');
});
