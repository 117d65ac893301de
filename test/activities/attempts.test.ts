import { Context } from '@temporalio/activity';
import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Attempts } from '../../src/activities/attempts.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Attempts of one call, and each piece of work that they have begun. */
function bench() {
  const attempts = new Attempts<string>();
  const works: Array<{ signal: AbortSignal; end: (result: string) => void }> = [];
  const begin = (signal: AbortSignal): Promise<string> => {
    const { promise, reject, resolve } = Promise.withResolvers<string>();
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    works.push({ signal, end: resolve });
    return promise;
  };
  const start = () => {
    const environment = new MockActivityEnvironment();
    const result = environment.run(async () => attempts.join('call', Context.current(), begin));
    result.catch(() => {});
    const giveUp = (): void => environment.cancel('TIMED_OUT', new ActivityCancellationDetails({ timedOut: true }));
    return { environment, giveUp, result };
  };
  return { works, start };
}

test('an attempt that the server has given up and the one that follows share the work', async () => {
  const { works, start } = bench();
  const first = start();
  first.giveUp();
  await vi.advanceTimersByTimeAsync(30_000);
  const second = start();
  await vi.advanceTimersByTimeAsync(60_000);
  works[0]?.end('Once.');
  expect(await Promise.all([first.result, second.result])).toEqual(['Once.', 'Once.']);
  expect(works).toHaveLength(1);
});

test('an attempt that shares the work of another one sends heartbeats of its own', async () => {
  const { works, start } = bench();
  start();
  const second = start();
  const beat = vi.fn<() => void>();
  second.environment.on('heartbeat', beat);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(beat.mock.calls.length).toBeGreaterThan(2);
  works[0]?.end('Once.');
  await second.result;
});

test('what is given up and has no further attempt ends', async () => {
  const { works, start } = bench();
  const { giveUp, result } = start();
  giveUp();
  expect(works[0]?.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(60_000);
  await expect(result).rejects.toThrow(CancelledFailure);
});

test('what a run cancels, or has ended without, ends at once, and a later attempt begins anew', async () => {
  const { works, start } = bench();
  const { environment, result } = start();
  environment.cancel();
  const later = start();
  await expect(result).rejects.toThrow(CancelledFailure);
  works[1]?.end('Anew.');
  expect(await later.result).toBe('Anew.');
});

test('the work goes on as long as one of its attempts waits', async () => {
  const { works, start } = bench();
  const first = start();
  const second = start();
  second.environment.cancel();
  expect(works[0]?.signal.aborted).toBe(false);
  first.environment.cancel();
  expect(works[0]?.signal.aborted).toBe(true);
});
