import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { codecEndpoint } from './home-codec.ts';
import { isHeld, readHolder, type Holder } from './lock.ts';
import { endGuards, guardOf, startGuard } from './guards.ts';
import { freePort, hiddenPlace, type HiddenPlace } from './ports.ts';
import { endProcess, processes } from '../util/processes.ts';
import { answers, answersWithin, startServer } from './server.ts';
import { findTemporalCli } from './temporal-cli.ts';

/** The server of a home folder, which has a process of its own. */
export type HomeServer = Pick<Holder, 'address' | 'uiAddress' | 'serverPid'>;

/** Is told what takes long, and what went wrong. */
export type Say = (text: string) => void;

/** How long a server may take to answer whose `up` has ended while it was starting, in milliseconds. */
const patienceMs = 5000;

/**
 * Finds or starts the server of a home folder: one that an `up` has left and that still answers, else a new one. Only the
 * holder of the folder's lock may call it, since Temporal itself lets two servers work on one database.
 *
 * @param isNamed whether the person named the address; where they did not, another port serves as well without a word
 */
export async function openServer(home: string, address: string, isNamed: boolean, say: Say): Promise<HomeServer> {
  const [first, ...more] = serversOf(home);
  await Promise.all(more.map(({ serverPid }) => endProcess(serverPid)));
  if (first !== undefined) {
    if (await answersWithin(patienceMs, first.address)) return guarded(home, first);
    say('The last Temporal server of this folder does not answer; ending it');
    await endProcess(first.serverPid);
  }
  const wanted = portOf(address);
  const port = await freePort(wanted);
  if (port !== wanted && (isNamed || !isAnotherHomes(address, home)))
    say(`Port ${wanted} is taken; Temporal gets ${port}`);
  try {
    return await startHere(home, port, await freePort(port + 1000), say);
  } catch (error) {
    // Another folder's server may have taken the port at the same moment.
    if ((await freePort(port)) === port) throw error;
    return startHere(home, await freePort(), await freePort(), say);
  }
}

/**
 * Starts again what has died of a server: itself, on the same data and ports, or only the guard before its Web UI.
 *
 * @throws where it does not start
 */
export async function reopenServer(home: string, { address, uiAddress }: HomeServer, say: Say): Promise<HomeServer> {
  const [found] = serversOf(home);
  if (found !== undefined) return guarded(home, found, portOf(uiAddress));
  say(`The Temporal server is gone; starting it again at ${address}`);
  return startHere(home, portOf(address), portOf(uiAddress), say);
}

/** The person named an address where nothing answers, while the folder's server runs at another one. */
export class OtherAddressError extends Error {}

/**
 * Whether an address of this machine means the server of a home folder, running or to be started, rather than a server of
 * somebody else's that answers there.
 *
 * @param isNamed whether the person named the address; if not, a server of another home folder is passed over
 * @throws `OtherAddressError`
 */
export async function isOwnServer(home: string, address: string, isNamed: boolean): Promise<boolean> {
  const own = serversOf(home)[0];
  const holder = isHeld(home) ? readHolder(home) : undefined;
  if ([own?.address, holder?.address, holder?.asked].includes(address)) return true;
  if (!isNamed && (own !== undefined || holder !== undefined || isAnotherHomes(address, home))) return true;
  if (await answers(address)) return false;
  const other = holder?.address;
  if (other === undefined) return true;
  throw new OtherAddressError(
    `Nothing answers at ${address}, and the server of this folder runs at ${other}. ` +
      `Name that address, end it first (reprise down), or name another folder with REPRISE_HOME`,
  );
}

/** Whether the server at an address of this machine belongs to another home folder, whose runs have their own workers. */
const isAnotherHomes = (address: string, home: string): boolean =>
  embeddedServers().some((server) => server.address === address && server.database !== databaseOf(home));

/** Whether the folder's server is running, with the guard before its Web UI. */
export function isServing(home: string): boolean {
  const [found] = serversOf(home);
  return found !== undefined && guardOf(homePath(home), found.serverPid) !== undefined;
}

/** Ends the folder's server. @returns whether there was one */
export async function endServer(home: string): Promise<boolean> {
  const found = serversOf(home);
  await Promise.all([...found.map(({ serverPid }) => endProcess(serverPid)), endGuards(homePath(home))]);
  return found.length > 0;
}

/** The path by which the processes of a home folder name it, however a command has come there. */
const homePath = (home: string): string => (existsSync(home) ? realpathSync(home) : home);

const databaseOf = (home: string): string => join(homePath(home), 'temporal.db');

const portOf = (address: string): number => Number(address.split(':').at(-1));

/** A server by its process. */
interface FoundServer {
  serverPid: number;
  address: string;
  database: string;
  ui: HiddenPlace;
}

/** The servers of a folder. Their command lines tell, since an `up` may have died before it could record its server. */
const serversOf = (home: string): FoundServer[] =>
  embeddedServers().filter(({ database }) => database === databaseOf(home));

/** The servers of all home folders of this machine. */
function embeddedServers(): FoundServer[] {
  return processes().flatMap(({ pid, commandLine }) => {
    const [, port] = / --port (\d+)/.exec(commandLine) ?? [];
    const [, host, uiPort] = / --ui-ip (\S+) --ui-port (\d+)/.exec(commandLine) ?? [];
    const [, database] = / --db-filename (.*?[\\/]temporal\.db)(?= --|$)/.exec(commandLine) ?? [];
    if (port === undefined || host === undefined || database === undefined) return [];
    return [{ serverPid: pid, address: `127.0.0.1:${port}`, database, ui: { host, port: Number(uiPort) } }];
  });
}

async function startHere(home: string, port: number, uiPort: number, say: Say): Promise<HomeServer> {
  // One that has not noticed yet that its server is gone would have the port.
  await endGuards(homePath(home));
  const ui = await hiddenPlace();
  const database = databaseOf(home);
  const codec = codecEndpoint(`http://127.0.0.1:${uiPort}`);
  const { address, process: server } = await startServer({
    cli: await findTemporalCli(say),
    port,
    ui,
    ...(codec !== undefined && { codecEndpoint: codec }),
    database,
    log: logOf(home),
    // The server outlives an `up` that is killed, and the next `up` adopts it.
    detached: true,
  });
  return guarded(home, { serverPid: server.pid ?? 0, address, ui }, uiPort);
}

/**
 * Sees to it that there is a guard before a server's Web UI: the one that it has, or a new one.
 *
 * @param wanted the port for a new one
 */
async function guarded(
  home: string,
  { serverPid, address, ui }: Pick<FoundServer, 'serverPid' | 'address' | 'ui'>,
  wanted = portOf(address) + 1000,
): Promise<HomeServer> {
  const guard = guardOf(homePath(home), serverPid);
  if (guard === undefined) await endGuards(homePath(home));
  const uiPort = guard?.uiPort ?? (await freePort(wanted));
  if (guard === undefined) await startGuard({ home: homePath(home), pid: serverPid, ui, uiPort, log: logOf(home) });
  return { address, uiAddress: `http://127.0.0.1:${uiPort}`, serverPid };
}

const logOf = (home: string): string => join(home, 'logs', 'temporal.log');
