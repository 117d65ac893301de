import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Holder } from './lock.ts';
import { freePort } from './ports.ts';
import { endProcess, processes } from './processes.ts';
import { answers, startServer } from './server.ts';
import { findTemporalCli } from './temporal-cli.ts';

/** Where a server is; without `serverPid` it is somebody else's. */
export type Place = Pick<Holder, 'address' | 'uiAddress' | 'serverPid'>;

type HomeServer = Required<Place>;

/** Told what takes long, and what went wrong. */
export type Say = (text: string) => void;

/** How long a server that its `up` has left in the middle of starting may take until it answers. */
const patienceMs = 5000;

/**
 * The server to use for a home folder: one that a dead `up` has left and that still answers, else one that is at
 * the wanted address already, else a new one. To be called by the holder of the folder's lock only: Temporal itself
 * lets two servers work on one database.
 */
export async function openServer(home: string, address: string, say: Say): Promise<Place> {
  const [first, ...more] = serversOf(home);
  await Promise.all(more.map(({ serverPid }) => endProcess(serverPid)));
  if (first !== undefined) {
    if (await answersSoon(first.address)) return first;
    say('The last Temporal server of this folder does not answer; ending it');
    await endProcess(first.serverPid);
  }
  if (await answers(address)) return { address };
  const wanted = Number(address.split(':').at(-1));
  const port = await freePort(wanted);
  if (port !== wanted) say(`Port ${wanted} is taken; Temporal gets ${port}`);
  return startHere(home, port, await freePort(port + 1000), say);
}

/** Starts a server that died again, on the same data and ports. @throws where it does not start */
export async function reopenServer(home: string, { address, uiAddress }: Place, say: Say): Promise<Place> {
  return startHere(home, portOf(address), portOf(uiAddress ?? ''), say);
}

/** Whether the folder's server is there. */
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

/** Found by their command lines, so that one is known whose `up` died before it could note it down. */
function serversOf(home: string): HomeServer[] {
  const words = ` --db-filename ${databaseOf(home)}`;
  return processes().flatMap(({ pid, commandLine }) => {
    const [, port] = / --port (\d+)/.exec(commandLine) ?? [];
    const [, uiPort] = / --ui-port (\d+)/.exec(commandLine) ?? [];
    if (!commandLine.includes(words) || port === undefined || uiPort === undefined) return [];
    return [{ serverPid: pid, address: `127.0.0.1:${port}`, uiAddress: `http://127.0.0.1:${uiPort}` }];
  });
}

async function answersSoon(address: string): Promise<boolean> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    if (await answers(address)) return true;
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function startHere(home: string, port: number, uiPort: number, say: Say): Promise<Place> {
  const server = await startServer({
    cli: await findTemporalCli(say),
    port,
    uiPort,
    database: databaseOf(home),
    log: join(home, 'logs', 'temporal.log'),
    // It outlives a worker that is killed, and the next one adopts it.
    detached: true,
  });
  const { pid } = server.process;
  return {
    address: server.address,
    uiAddress: `http://127.0.0.1:${uiPort}`,
    ...(pid !== undefined && { serverPid: pid }),
  };
}
