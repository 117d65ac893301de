import { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { heartbeatAfter, sendHeartbeats } from '../../src/activities/cancellable.ts';

test.each([
  [1, 500],
  [20, 500],
  [40, 1000],
  [100, 2500],
  [200, 4000],
  [5000, 4000],
])('of %i activities that send heartbeats, each sends the next one after %i ms', (active, ms) => {
  expect(heartbeatAfter(active)).toBe(ms);
});

test('heartbeats carry what is known at their time, and end when they are stopped', async () => {
  const environment = new MockActivityEnvironment();
  const seen: unknown[] = [];
  await environment.run(async () => {
    let count = 0;
    const two = new Promise<void>((resolve) => {
      environment.on('heartbeat', (details) => {
        seen.push(details);
        if (seen.length === 2) resolve();
      });
    });
    const stop = sendHeartbeats(Context.current(), () => ++count);
    await two;
    stop();
    stop();
  });
  expect(seen).toEqual([1, 2]);
});
