import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveTextWriter } from '../../src/activities/progress.ts';
import { activityBench } from '../support/activity-bench.ts';

const bench = activityBench();
const { liveTexts } = bench.store;
afterAll(() => bench.close());

/** Ends what the writer waits for. What it then does takes a moment. */
const passes = async (ms: number): Promise<void> => {
  const { length } = writes.mock.results;
  await vi.advanceTimersByTimeAsync(ms);
  await Promise.allSettled(writes.mock.results.slice(length).map(({ value }) => value as Promise<void>));
  await vi.advanceTimersByTimeAsync(0);
};

const spyOnWrites = () => vi.spyOn(liveTexts, 'write');
let writes: ReturnType<typeof spyOnWrites>;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  writes = spyOnWrites();
});
afterEach(() => {
  writes.mockRestore();
  vi.useRealTimers();
});

let count = 0;
const begin = (writer = new LiveTextWriter(liveTexts), attempt = 1) => {
  const key = `run/model-${++count}`;
  const read = async (from = 0): Promise<string[]> =>
    (await liveTexts.read(key, attempt, from)).map(({ offset, text }) => `${offset} ${text}`);
  return { key, read, ...writer.begin({ key, attempt, workflowId: 'w' }) };
};

test('what is new is written ten times a second, from where the piece before has ended', async () => {
  const { add, read } = begin();
  add('One');
  add(' two');
  expect(await read()).toEqual([]);
  await passes(100);
  expect(await read()).toEqual(['0 One two']);
  await passes(100);
  add(' three');
  await passes(100);
  expect(await read()).toEqual(['0 One two', '7  three']);
  expect(await read(7)).toEqual(['7  three']);
});

test('all calls of a worker share one transaction', async () => {
  const writer = new LiveTextWriter(liveTexts);
  const calls = Array.from({ length: 20 }, () => begin(writer));
  for (const { add } of calls) add('One');
  await passes(100);
  expect(writes).toHaveBeenCalledTimes(1);
  for (const { read } of calls) expect(await read()).toEqual(['0 One']);
});

test('of a call that is over within a moment nothing is written', async () => {
  const { add, end } = begin();
  add('One');
  end();
  await passes(10_000);
  expect(writes).not.toHaveBeenCalled();
});

test('a text stays until those who look on have its end', async () => {
  const { add, end, read } = begin();
  add('One');
  await passes(100);
  add(' two');
  end();
  await passes(2000);
  expect(await read()).toEqual(['0 One', '3  two']);
  await passes(2000);
  expect(await read()).toEqual([]);
});

test('a store that cannot be written is left alone for a moment, and loses nothing', async () => {
  const { add, read } = begin();
  writes.mockRejectedValueOnce(new Error('database is locked'));
  add('One');
  await passes(100);
  add(' two');
  await passes(1000);
  expect(await read()).toEqual([]);
  await passes(5000);
  expect(await read()).toEqual(['0 One two']);
});
