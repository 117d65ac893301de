import { expect, test } from 'vitest';
import { watchLoopLag } from '../../src/worker/loop-lag.ts';

const holdUp = (milliseconds: number): unknown =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

test('a worker that is held up says so, with the figure, and not again at once', async () => {
  const said: string[] = [];
  const stop = watchLoopLag((text) => said.push(text));
  // The monitor counts from its first tick on.
  await new Promise((resolve) => setTimeout(resolve, 50));
  holdUp(700);
  await expect.poll(() => said.length).toBe(1);
  const [, milliseconds] =
    /^This worker was held up for (\d+) ms, and so were all runs on it/.exec(said[0] ?? '') ?? [];
  expect(Number(milliseconds)).toBeGreaterThanOrEqual(600);
  holdUp(700);
  await new Promise((resolve) => setTimeout(resolve, 1200));
  expect(said).toHaveLength(1);
  stop();
});
