import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { madeOnce } from '../util/made-once.ts';

/** 32 bytes in hexadecimal digits. */
const isSecret = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/**
 * The secret of a home folder (`REPRISE_HOME`), by which its owner's commands and workers know each other. Whoever needs it
 * first makes it.
 *
 * @throws `Error` where the file holds something else
 */
export function homeSecret(home: string): string {
  const found = madeOnce(home, 'secret', () => randomBytes(32).toString('hex'));
  if (isSecret(found)) return found;
  const file = join(home, 'secret');
  throw new Error(`${file} does not hold the secret of its folder: remove it, and start commands and workers again`);
}
