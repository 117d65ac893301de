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

/** How a person and a program get into a server. */
export const waysIn = (url: string, token: string): string =>
  `Pages ${url}/login?token=${token}\nAPI   ${url} with the header Authorization: Bearer ${token}`;
