import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WaitTime } from '../../../src/workflows/runtime/clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Begins a wait at `+`, ends one at `-`, lets a second pass at `.`, and tells the seconds waited. */
function waited(course: string): number {
  const waits = new WaitTime();
  for (const step of course) {
    if (step === '+') waits.begin();
    else if (step === '-') waits.end();
    else vi.advanceTimersByTime(1000);
  }
  return waits.milliseconds / 1000;
}

test.each([
  ['nothing is waited for', '...', 0],
  ['a wait that has ended', '.+..-.', 2],
  ['a wait that goes on', '.+..', 2],
  ['two waits one after the other', '+.-.+..-', 3],
  ['two waits at the same time', '+.+.-.-.', 3],
  ['a wait within another one that goes on', '+.+.-.', 3],
])('%s counts once', (_, course, seconds) => {
  expect(waited(course)).toBe(seconds);
});
