import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WaitTime, waitedFrom } from '../../../src/workflows/runtime/clock.ts';

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

test.each([
  ['none', '...', undefined],
  ['one that is over', '.+..-.', 2000],
  ['one that has begun before', '+..|.-.', 1000],
  ['one that takes no time by the clock', '.+-.', 1],
  ['one before', '.+.-.|..', undefined],
])('what waits add to a time is known from the waits, and not from the clock: %s', (_, course, added) => {
  const waits = new WaitTime();
  let extra = waitedFrom(waits);
  for (const step of course) {
    if (step === '+') waits.begin();
    else if (step === '-') waits.end();
    else if (step === '|') extra = waitedFrom(waits);
    else vi.advanceTimersByTime(1000);
  }
  expect(extra()).toBe(added);
});
