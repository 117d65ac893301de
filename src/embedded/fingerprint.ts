import { createHash } from 'node:crypto';
import { environmentVariables, type Environment } from '../config/environment.ts';

/**
 * Tells whether a worker that runs already is like the one that a command would start: same keys and addresses,
 * same extensions folder. Holds hashes only.
 */
export function fingerprintOf(environment: Environment, extensions: string): string {
  const values = [...environmentVariables, 'REPRISE_PRICES'].map((name) => `${name}=${environment[name] ?? ''}`);
  return createHash('sha256')
    .update([...values, extensions].join('\n'))
    .digest('hex')
    .slice(0, 16);
}
