import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OAuthDiscoveryState, StoredOAuthClientInformation } from '@modelcontextprotocol/client';
import type { StoredOAuthTokens } from '@modelcontextprotocol/client';
import { hashOf } from '../../util/ids.ts';
import { writeAtomic } from '../../util/private-files.ts';

/** The folder of the logins. @param home `REPRISE_HOME` */
export const loginsIn = (home: string): string => join(home, 'logins');

interface Login {
  url: string;
  /** The client that is registered for it, by the authorization server that registered it. */
  clients?: Record<string, StoredOAuthClientInformation>;
  tokens?: StoredOAuthTokens | undefined;
  discovery?: OAuthDiscoveryState | undefined;
}

/**
 * The logins at servers that ask for one (OAuth), as `reprise login` leaves them: a file for each server, which only its
 * owner can read. Any process may renew one, so they are read anew each time.
 */
export class Logins {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The login at a server; one without tokens where nobody has logged in. */
  read(url: string): Login {
    try {
      return JSON.parse(readFileSync(this.#file(url), 'utf8')) as Login;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return { url };
      throw error;
    }
  }

  update(url: string, changes: Partial<Login>): void {
    writeAtomic(this.#file(url), JSON.stringify({ ...this.read(url), ...changes, url }));
  }

  has(url: string): boolean {
    return this.read(url).tokens !== undefined;
  }

  #file(url: string): string {
    return join(this.#folder, `${hashOf(new URL(url).href).slice(0, 32)}.json`);
  }
}
