import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Holder } from './lock.ts';
import { freePort } from './ports.ts';
import { endProcess, processes } from './processes.ts';
import { answers, answersWithin, startServer } from './server.ts';
import { findTemporalCli } from './temporal-cli.ts';

/** Where a server is. Without `serverPid` it belongs to somebody else. */
export type Place = Pick<Holder, 'address' | 'uiAddress' | 'serverPid'>;

type HomeServer = Required<Place>;

/** Is told what takes long, and what went wrong. */
export type Say = (text: string) => void;

/** How long a server may take to answer whose `up` has ended while it was starting, in milliseconds. */
const patienceMs = 5000;

/**
 * Finds or starts the server for a home folder: one that an `up` has left and that still answers, else one that answers at
 * the wanted address already, else a new one. Only the holder of the folder's lock may call it, since Temporal itself
 * lets two servers work on one database.
 */
export async function openServer(home: string, address: string, say: Say): Promise<Place> {
  const [first, ...more] = serversOf(home);
  await Promise.all(more.map(({ serverPid }) => endProcess(serverPid)));
  if (first !== undefined) {
    if (await answersWithin(patienceMs, first.address)) return first;
    say('The last Temporal server of this folder does not answer; ending it');
    await endProcess(first.serverPid);
  }
  if (await answers(address)) return { address };
  const wanted = portOf(address);
  const port = await freePort(wanted);
  if (port !== wanted) say(`Port ${wanted} is taken; Temporal gets ${port}`);
  return startHere(home, port, await freePort(port + 1000), say);
}

/** Starts a server that has died again, on the same data and ports. @throws where it does not start */
export async function reopenServer(home: string, { address, uiAddress }: Place, say: Say): Promise<Place> {
  return startHere(home, portOf(address), portOf(uiAddress ?? ''), say);
}

/** Whether the folder's server is running. */
export function isServing(home: string): boolean {
  return serversOf(home).length > 0;
}

/** Ends the folder's server. @returns whether there was one */
export async function endServer(home: string): Promise<boolean> {
  const found = serversOf(home);
  await Promise.all(found.map(({ serverPid }) => endProcess(serverPid)));
  return found.length > 0;
}

const databaseOf = (home: string): string => join(existsSync(home) ? realpathSync(home) : home, 'temporal.db');

const portOf = (address: string): number => Number(address.split(':').at(-1));

/** The servers of a folder. Their command lines tell, since an `up` may have died before it could record its server. */
function serversOf(home: string): HomeServer[] {
  const words = ` --db-filename ${databaseOf(home)}`;
  return processes().flatMap(({ pid, commandLine }) => {
    const [, port] = / --port (\d+)/.exec(commandLine) ?? [];
    const [, uiPort] = / --ui-port (\d+)/.exec(commandLine) ?? [];
    if (!commandLine.includes(words) || port === undefined || uiPort === undefined) return [];
    return [{ serverPid: pid, address: `127.0.0.1:${port}`, uiAddress: `http://127.0.0.1:${uiPort}` }];
  });
}

async function startHere(home: string, port: number, uiPort: number, say: Say): Promise<Place> {
  const server = await startServer({
    cli: await findTemporalCli(say),
    port,
    uiPort,
    database: databaseOf(home),
    log: join(home, 'logs', 'temporal.log'),
    // The server outlives an `up` that is killed, and the next `up` adopts it.
    detached: true,
  });
  const { pid } = server.process;
  return {
    address: server.address,
    uiAddress: `http://127.0.0.1:${uiPort}`,
    ...(pid !== undefined && { serverPid: pid }),
  };
}
