/** In milliseconds. A provider that asks for more is tried again after this time nevertheless. */
const longest = 120_000;

/**
 * How long a provider asks to wait, in milliseconds from 0 to 120,000; undefined if it does not say.
 * `retry-after-ms` beats `retry-after`, which holds seconds or an HTTP date.
 *
 * @param now milliseconds since the epoch
 */
export function retryDelay(headers: Headers | undefined, now: number): number | undefined {
  const milliseconds = numberIn(headers?.get('retry-after-ms'));
  if (milliseconds !== undefined) return clamp(milliseconds);
  const after = headers?.get('retry-after');
  const seconds = numberIn(after);
  if (seconds !== undefined) return clamp(seconds * 1000);
  const date = Date.parse(after ?? '');
  return Number.isNaN(date) ? undefined : clamp(date - now);
}

function numberIn(text: string | null | undefined): number | undefined {
  const number = Number(text ?? NaN);
  return text?.trim() === '' || Number.isNaN(number) ? undefined : number;
}

const clamp = (milliseconds: number): number => Math.min(longest, Math.max(0, Math.round(milliseconds)));
