import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SetupError } from '../util/environment.ts';
import { isSameSecret } from '../util/ids.ts';
import { madeOnce } from '../util/private-files.ts';

/** By which the commands and workers of a home know each other. @throws `SetupError` where the file holds something else */
export function homeSecret(home: string): string {
  const found = madeOnce(home, 'secret', () => randomBytes(32).toString('hex'));
  if (/^[0-9a-f]{64}$/.test(found)) return found;
  const file = join(home, 'secret');
  throw new SetupError(
    `${file} does not hold the secret of its folder: remove it, and start commands and workers again`,
  );
}

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
export const isMac = (secret: string, value: unknown, given: unknown): boolean =>
  typeof given === 'string' && isSameSecret(macOf(secret, value), given);
