import type { Figures } from '../../messages/usage.ts';

/** What has been spent: `8 calls, 1,951 tokens, $0.0042`. */
export function spentText({ calls, inputTokens, outputTokens, costUsd }: Figures): string {
  const tokens = (inputTokens + outputTokens).toLocaleString('en-US');
  return `${countText(calls, 'call')}, ${tokens} tokens, $${costUsd.toFixed(4)}`;
}

/** So many of a thing: `1 call`, `2 calls`. */
export const countText = (count: number, thing: string): string =>
  `${count} ${count === 1 ? thing : `${thing}s`}`;

/** A length of time: `42 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes === 0) return `${seconds} s`;
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
