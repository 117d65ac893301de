import { createHash } from 'node:crypto';
import { environmentVariables, type Environment } from '../config/environment.ts';

/**
 * A hash of what a worker is started with: keys and addresses of the providers, and the extensions folder. By comparing
 * two of them a command learns whether the worker that is running is like the one that it would start.
 */
export function fingerprintOf(environment: Environment, extensions: string): string {
  const values = [...environmentVariables, 'REPRISE_PRICES'].map((name) => `${name}=${environment[name] ?? ''}`);
  return createHash('sha256')
    .update([...values, extensions].join('\n'))
    .digest('hex')
    .slice(0, 16);
}
