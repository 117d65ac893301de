import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { TranscriptRef } from '../../src/protocol/message.ts';
import { createActivities } from '../../src/activities/activities.ts';
import { noOrchestrators } from '../../src/config/extensions.ts';
import { activityBench } from '../support/activity-bench.ts';
import { openGuard } from '../support/guard.ts';

const bench = activityBench();
afterAll(() => bench.close());

const activities = createActivities({
  store: bench.store,
  openModel: () => ({ complete: () => Promise.reject(new Error('none is called')) }),
  tools: { tools: async () => [], close: async () => {} },
  environment: {},
  configFolder: '.',
  orchestrators: noOrchestrators,
  namespace: { hasQuestion: false },
  guard: openGuard(),
  prices: {},
});

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('what the history gets is bounded in bytes', () => {
  test('an activity whose result is too large fails, where its run would hang', async () => {
    const set = await bench.store.putBlob(JSON.stringify([{ description: '中'.repeat(700_000) }]));
    await expect(bench.run((id: string) => activities.readTools(id), set)).rejects.toMatchObject({
      type: 'ResultTooLarge',
      nonRetryable: true,
    });
  });

  test('of a long conversation the newest messages are read that fit', async () => {
    const messages = Array.from({ length: 20 }, (_, index) => ({
      role: 'user' as const,
      content: `${index}${'中'.repeat(30_000)}`,
    }));
    const said = await bench.store.putSegment(null, messages);
    const read = await bench.run((ref: TranscriptRef) => activities.readMessages(ref), said);
    expect(bytesOf(read)).toBeLessThan(1_000_000);
    expect(read).toEqual(messages.slice(-read.length));
    expect(read.length).toBeGreaterThan(10);
  });
});

test('a cost that is not there yet is looked for again, though the worker has stood still since the first look', async () => {
  const usage = { inputTokens: 5, cachedInputTokens: 0, outputTokens: 1 };
  let now = 0;
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 10_000));
  const spent = vi.spyOn(bench.store, 'spent').mockResolvedValueOnce(new Map());
  spent.mockImplementation(async (keys) => new Map(keys.map((key) => [key, usage])));
  const settle = (abandoned: string[]) => activities.settleAbandonedCalls(abandoned, []);
  expect(await bench.run(settle, ['model-1'])).toEqual([['model-1', usage]]);
});
