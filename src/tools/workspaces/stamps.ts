import type { BigIntStats } from 'node:fs';

/**
 * How long it may take until a file that is written again has another time, in milliseconds: Linux counts in ticks of up
 * to 10 ms, and some file systems in steps of up to 2 s, as their times without fractions show
 * (https://git-scm.com/docs/racy-git).
 */
export const tickMs = 20;
const coarseTickMs = 2000;

const million = 1_000_000n;

/** What tells that a file was changed. The time of the last change of its state cannot be set by anyone (utimensat(2)). */
export function stampOf({ ctimeNs, ino, mode, mtimeNs, size }: BigIntStats): string {
  return `${size}:${mtimeNs}:${ctimeNs}:${ino}:${mode}`;
}

/** Whether every change from now on gives a file another stamp than it has now. @param now in milliseconds */
export function isSettled({ ctimeNs }: BigIntStats, now: number): boolean {
  const tick = ctimeNs % (1000n * million) === 0n ? coarseTickMs : tickMs;
  return BigInt(Math.floor(now)) * million - ctimeNs > BigInt(tick) * million;
}
