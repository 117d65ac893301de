import { createHmac, timingSafeEqual } from 'node:crypto';

/** A value as JSON in which the order of keys makes no difference, as it arrives where it is sent. */
export const canonicalJson = (value: unknown): string => ordered(JSON.parse(JSON.stringify(value) ?? 'null'));

function ordered(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(ordered).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${ordered((value as Record<string, unknown>)[key])}`).join(',')}}`;
}

/** The HMAC-SHA256 of a value's canonical JSON, in base64url. */
export const macOf = (secret: string, value: unknown): string =>
  createHmac('sha256', secret).update(canonicalJson(value)).digest('base64url');

/** Whether a text is the MAC of a value, found out in a time that tells nothing of how near it is. */
export function isMac(secret: string, value: unknown, given: unknown): boolean {
  if (typeof given !== 'string') return false;
  const [expected, found] = [Buffer.from(macOf(secret, value)), Buffer.from(given)];
  return expected.length === found.length && timingSafeEqual(expected, found);
}
