import { ownerToken } from '../serve/access.ts';
import { usageError } from './exit.ts';
import { openHome } from './options.ts';
import type { Shell } from './shell.ts';

/** The token that opens this home's HTTP server. @throws `CommandError`, status 2 */
export function tokenOf(shell: Shell): string {
  try {
    return ownerToken(openHome(shell), shell.environment);
  } catch (error) {
    throw usageError((error as Error).message);
  }
}

/** How a person and a program get into a server. A token that was given is not repeated, since containers keep what is said. */
export function waysIn(shell: Shell, url: string): string {
  const token = shell.environment['REPRISE_TOKEN'] === undefined ? tokenOf(shell) : '$REPRISE_TOKEN';
  return `Pages ${url}/login?token=${token}\nAPI   ${url} with the header Authorization: Bearer ${token}`;
}
