import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger, type LogEntry } from '@temporalio/worker';
import { afterAll, describe, expect, test } from 'vitest';
import { createCallModel } from '../../src/activities/model.ts';
import { retrying } from '../../src/activities/retrying-store.ts';
import { createCallTool } from '../../src/activities/tools/tools.ts';
import type { CallModelInput, CallModelResult } from '../../src/protocol/model-call.ts';
import type { Store } from '../../src/store/store.ts';
import { activityBench, testCaller } from '../support/activity-bench.ts';
import { failing, sqliteError } from '../support/store-trouble.ts';
import { firstWords } from '../support/first-words.ts';

const bench = activityBench();
afterAll(() => bench.close());

/** SQLite's results for a statement that is wrong, such as for a missing table, a locked file, a full disk, and a write that failed. */
const [wrong, busy, full, writing] = [1, 5, 13, 778];

const usage = { inputTokens: 7, cachedInputTokens: 0, outputTokens: 3 };
const input: CallModelInput = {
  backend: { type: 'offline' },
  transcript: null,
  append: [{ role: 'user', content: 'Hi' }],
  tools: null,
  caller: testCaller,
};

let count = 0;

/** Calls a model over a store. */
function call(store: Store) {
  const requests: unknown[] = [];
  const warnings: string[] = [];
  const activityId = `model-${++count}`;
  const logger = new DefaultLogger('WARN', ({ message }: LogEntry) => warnings.push(message));
  const info = { activityId, workflowExecution: { workflowId: 'w', runId: 'r' } };
  const environment = new MockActivityEnvironment(info, { logger });
  const callModel = createCallModel({
    store: retrying(store),
    openModel: () => ({
      async complete(request) {
        requests.push(request);
        return { message: { role: 'assistant', content: 'Paid.' }, finish: 'stop', usage };
      },
    }),
  });
  const result: Promise<CallModelResult> = environment.run(callModel, input);
  return { environment, key: `r/${activityId}`, requests, result, warnings };
}

describe('a reply that cannot be stored', () => {
  test.each([
    ['a locked store', [busy, busy, busy]],
    ['a full disk', [full, full]],
    ['a disk that fails', [writing, full, busy]],
    ['a table that is missing', [wrong, wrong]],
  ])('is kept until it can be, and paid for once: %s', async (_, codes) => {
    const { key, requests, result, warnings } = call(failing(bench.store, 'commitReply', codes.map(sqliteError)));
    const { reply } = await result;
    expect(reply.content).toBe('Paid.');
    expect(requests).toHaveLength(1);
    expect((await bench.store.spent([key])).get(key)).toEqual(usage);
    expect(warnings).toEqual([`A reply cannot be stored for now, and is kept until it can: SQLite says ${codes[0]}`]);
  });

  test('is given up when the call is cancelled, and what it has cost is recorded', async () => {
    const always = Array.from({ length: 1000 }, () => sqliteError(busy));
    const { environment, key, result } = call(failing(bench.store, 'commitReply', always));
    await once(environment, 'heartbeat');
    environment.cancel();
    await expect(result).rejects.toBeInstanceOf(CancelledFailure);
    expect((await bench.store.spent([key])).get(key)).toEqual(usage);
  });

  test('does not hide why a call failed, if not even its cost can be stored', async () => {
    const always = Array.from({ length: 1000 }, () => sqliteError(busy));
    const { environment, result } = call(
      failing(failing(bench.store, 'commitReply', always), 'recordTry', [sqliteError(full)]),
    );
    await once(environment, 'heartbeat');
    environment.cancel();
    await expect(result).rejects.toBeInstanceOf(CancelledFailure);
  });
});

test('a tool that has run is not run again because its result cannot be stored', async () => {
  let runs = 0;
  const spec = { name: 'book', description: '', parameters: { type: 'object' as const, properties: {} } };
  const tool = { spec, sideEffects: 'once' as const, timeout: 60, run: async () => ++runs };
  const tools = { tools: async () => [tool], close: async () => {} };
  const store = failing(bench.store, 'commitToolResult', [sqliteError(busy), sqliteError(full)]);
  const callTool = createCallTool({ store: retrying(store), tools, environment: {} });
  const listed = { name: 'book', source: { package: 'p' }, sideEffects: 'once' as const, timeout: 60 };
  const result = await bench.run(callTool, { tool: listed, arguments: {}, agent: 'agent_a', caller: testCaller });
  expect(result).toEqual({ status: 'ok', text: '1' });
  expect(runs).toBe(1);
});

test('while another process holds the write lock for seconds, heartbeats go on, and calls are paid for once', async () => {
  const locker = spawn(process.execPath, [fileURLToPath(new URL('../store/locker.ts', import.meta.url)), bench.file]);
  await firstWords(locker);
  const calls = Array.from({ length: 20 }, () => call(bench.store));
  const [{ environment, warnings }] = calls as [ReturnType<typeof call>];
  // A wait within SQLite would let no heartbeat through before it was over, which the warning tells.
  await once(environment, 'heartbeat');
  expect(warnings).toEqual([]);
  await expect.poll(() => warnings).toHaveLength(1);
  locker.stdin.end();
  await Promise.all(calls.map(({ result }) => result));
  expect(calls.map(({ requests }) => requests.length)).toEqual(calls.map(() => 1));
});
