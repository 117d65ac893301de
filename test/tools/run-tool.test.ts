import { get } from 'node:http';
import type { LookupFunction } from 'node:net';
import { expect, test } from 'vitest';
import { readDefinitions } from '../../src/tools/read-definitions.ts';
import { failureOf, runTool, type Outcome } from '../../src/tools/run-tool.ts';

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

function outcomeOf(execute: () => unknown): Promise<Outcome> {
  const { tools, problems } = readDefinitions([
    { name: 'look', description: 'Looks.', parameters: { type: 'object' }, execute },
  ]);
  expect(problems).toEqual([]);
  const context = { workflowId: 'w', agentId: 'a', idempotencyKey: 'k', signal: new AbortController().signal };
  return runTool(tools[0]!, {}, context, 5, new Promise<never>(() => {}));
}

test.each([
  ['Response', () => new Response('{"room": 7}')],
  ['Map', async () => Promise.resolve(new Map([['room', 7]]))],
  ['Error', () => new RangeError('No such room')],
])('a result of which JSON keeps nothing is not told as an empty one: %s', async (name, execute) => {
  const { status, text } = await outcomeOf(execute);
  expect(status).toBe('exception');
  expect(text).toMatch(new RegExp(`^TypeError: execute returned a \\w*${name}, of which JSON keeps nothing`));
});

test.each<[unknown, string]>([
  [{}, '{}'],
  [Object.create(null), '{}'],
  [undefined, 'null'],
  [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  [{ toJSON: () => ({}) }, '{}'],
  [
    new (class Room {
      readonly number = 7;
    })(),
    '{"number":7}',
  ],
])('what JSON tells of a result is its text: %j', async (result, text) => {
  expect(await outcomeOf(() => result)).toEqual({ status: 'ok', text });
});

test('what a tool throws that is no error is shown with its values', async () => {
  const execute = (): never => {
    throw { code: 5 } as unknown as Error;
  };
  expect(await outcomeOf(execute)).toEqual({ status: 'exception', text: '{ code: 5 }' });
});
