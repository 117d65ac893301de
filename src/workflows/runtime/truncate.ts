import { cutToBytes, jsonBytes, payloadBytes } from './size.ts';

/**
 * The value with its longest texts cut, all to the same size, so that it has at most so many bytes of JSON. Results,
 * updates and what a session hands to its next run pass through here: one that is too large would never arrive, with
 * everything paid for.
 */
export function truncateToPayload<T>(value: T, bytes = payloadBytes): T {
  const whole = jsonBytes(value);
  if (whole <= bytes) return value;
  const sizes: number[] = [];
  mapTexts(value, (text) => {
    sizes.push(jsonBytes(text));
    return text;
  });
  const limit = limitFor(sizes, bytes - (whole - sizes.reduce((sum, size) => sum + size, 0)));
  return mapTexts(value, (text) => (jsonBytes(text) <= limit ? text : cutToBytes(text, Math.max(0, limit - 2)))) as T;
}

/** The largest size to which texts may be cut so that all together take at most `budget` bytes, and 0 if there is none. */
export function limitFor(sizes: number[], budget: number): number {
  const rising = sizes.toSorted((one, other) => one - other);
  let left = Math.max(0, budget);
  for (const [index, size] of rising.entries()) {
    const share = Math.floor(left / (rising.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]));
}
