import { loadClientConnectConfig } from '@temporalio/envconfig';
import { defaultAddress } from '../client.ts';
import { definedIn } from '../util/environment.ts';
import type { ServerLease } from '../local/lock.ts';
import { usageError } from './exit.ts';
import type { Shell } from './shell.ts';

export interface Target {
  address: string;
  namespace: string;
  isNamed: boolean;
  /** Whether the address is on this machine, where a command may start what is missing, unless others' workers serve it. */
  isLocal: boolean;
}

/**
 * Finds out which server a command is for: that of `--temporal`, of the Temporal CLI's configuration, this folder's, or that at
 * port 7233. @throws `CommandError`, status 2, where that configuration cannot be read
 */
export function targetOf(shell: Shell, temporal: string | undefined, holder: ServerLease | undefined): Target {
  const { configured, namespace } = temporalConfig(shell);
  const named = temporal || configured;
  const address = (named || holder?.address || defaultAddress).replace(/^localhost:/, '127.0.0.1:');
  const port = Number(/^.+:(\d+)$/.exec(address)?.[1]);
  if (!(port >= 1 && port <= 65_535))
    throw usageError(
      `"${named}" is no address of a Temporal server; an address is HOST:PORT, with a port from 1 to 65535`,
    );
  const isLocal = /^(127\.\d+\.\d+\.\d+|\[::1\]):/.test(address);
  // This folder's server has another port than was asked for, where that one was taken.
  const isOurs = holder !== undefined && address === holder.asked;
  return { address: isOurs ? holder.address : address, namespace, isNamed: Boolean(named), isLocal };
}

function temporalConfig({ env }: Shell): { configured: string | undefined; namespace: string } {
  try {
    const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: definedIn(env) });
    return { configured: connectionOptions.address, namespace: namespace || 'default' };
  } catch (error) {
    throw usageError(`The configuration of Temporal's connection: ${(error as Error).message}`);
  }
}
