import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCallModel, journalKey } from '../../../src/activities/model.ts';
import { modelOpener } from '../../../src/models/open-model.ts';
import type { CallModelInput } from '../../../src/protocol/model-call.ts';
import { openRates } from '../../../src/models/rates/rates.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { startModelServer, type ModelServer, type Script } from '../../support/model-server.ts';
import { testCaller } from '../../support/activity-bench.ts';

const key = 'sk-secret-of-a-test';
let folder: string;
let stores: Store[];
let model: ModelServer;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reprise-rates-'));
  stores = [];
});
afterEach(async () => {
  await model.close();
  for (const store of stores) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Two workers of one store, each with a connection of its own. */
async function workers(script: Script, rates: string) {
  model = await startModelServer(script);
  return [1, 2].map((number) => {
    const store = openSqliteStore(join(folder, 'store.sqlite'));
    stores.push(store);
    const variables = { OPENAI_API_KEY: key, OPENAI_BASE_URL: model.openai, REPRISE_RATES: rates };
    const callModel = createCallModel({
      store,
      openModel: modelOpener(variables),
      rates: openRates(store.rates, variables),
    });
    return (activityId: string, type: 'openai' | 'chatcompletion' = 'openai') => {
      const environment = new MockActivityEnvironment(
        { activityId, workflowExecution: { workflowId: 'w', runId: String(number) } },
        { logger: new DefaultLogger('ERROR') },
      );
      const input: CallModelInput = {
        backend: { type, model: 'm' },
        transcript: null,
        append: [{ role: 'user', content: 'Hi' }],
        tools: null,
        caller: testCaller,
      };
      const waits = new Promise<string>((resolve) =>
        environment.on('heartbeat', ({ waitsFor }: { waitsFor?: string }) => waitsFor && resolve(waitsFor)),
      );
      const result = environment.run(callModel, input);
      result.catch(() => {});
      return { environment, result, waits, tries: () => store.tries(journalKey(String(number), activityId)) };
    };
  });
}

test('workers share a limit: the second waits, says so, and makes no call when it is cancelled', async () => {
  const [first, second] = await workers(() => ({ text: 'Yes.' }), 'OPENAI_API_KEY=1/h');
  await first?.('one').result;
  const other = second?.('two');
  expect(await other?.waits).toBe('waits for a free place at openai');
  other?.environment.cancel();
  await expect(other?.result).rejects.toThrow(CancelledFailure);
  expect(model.requests).toHaveLength(1);
  expect(await other?.tries()).toEqual([]);
});

test('a limit of a host, too', async () => {
  const host = '127.0.0.1';
  const [first, second] = await workers(() => ({ text: 'Yes.' }), `${host}=1/day`);
  await first?.('one').result;
  const other = second?.('two', 'chatcompletion');
  expect(await other?.waits).toBe('waits for a free place at chatcompletion');
  other?.environment.cancel();
  await expect(other?.result).rejects.toThrow(CancelledFailure);
});

test('the tokens that a call took count for the next one', async () => {
  const [first, second] = await workers(
    () => ({ text: 'Yes.', usage: { input: 900, output: 200 } }),
    'OPENAI_API_KEY=1000tokens/day',
  );
  await first?.('one').result;
  // Its estimate was far lower, which the worker that made it makes up for with its next call.
  const next = first?.('two');
  expect(await next?.waits).toBe('waits for a free place at openai');
  next?.environment.cancel();
  const other = second?.('three');
  expect(await other?.waits).toBe('waits for a free place at openai');
  other?.environment.cancel();
  await Promise.allSettled([next?.result, other?.result]);
  expect(model.requests).toHaveLength(1);
});

test('what one worker is asked to wait, the others wait too, without any limit of their own', async () => {
  const [first, second] = await workers(() => ({ status: 429, headers: { 'retry-after': '60' } }), '');
  await expect(first?.('one').result).rejects.toThrow('429');
  const other = second?.('two');
  expect(await other?.waits).toMatch(/^openai has asked to wait for \d+ s$/);
  other?.environment.cancel();
  await expect(other?.result).rejects.toThrow(CancelledFailure);
  expect(model.requests).toHaveLength(1);
});

test('the store does not hold the key', async () => {
  const [first] = await workers(() => ({ status: 429, headers: { 'retry-after': '60' } }), 'OPENAI_API_KEY=5/s');
  await expect(first?.('one').result).rejects.toThrow('429');
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  expect(files.join('\n')).toContain('OPENAI_API_KEY');
  expect(files.join('\n')).not.toContain(key);
});
