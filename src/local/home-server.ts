import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheFolder } from '../util/folders.ts';
import { endProcess, processes } from '../util/processes.ts';
import { isHeld, readLease, type ServerLease } from './lock.ts';
import { answers } from './server.ts';
import { startModule } from './start-module.ts';

export type Say = (text: string) => void;

export type DaemonMessage = { say?: string; failed?: string; ready?: ServerLease };

interface JoinSettings {
  home: string;
  asked: string;
  /** Whether the person named it; where they did not, another port serves as well without a word. */
  isNamed: boolean;
  /** The folder of the configurations that clients of the HTTP server may name. */
  configs: string;
  /** Variables by their names, as in `process.env`: the daemon has those of whoever starts it. */
  variables: NodeJS.ProcessEnv;
  say: Say;
  isOver: () => boolean;
}

/** How long another command's daemon may take until its server answers, in milliseconds; it may have to fetch the Temporal CLI. */
const timeoutMs = 120_000;

/** Finds the server of a home folder, and starts it with its daemon where there is none. Of several that do so, one starts it. */
export async function joinServer(settings: JoinSettings): Promise<{ server: ServerLease; isStarted: boolean }> {
  const { home, isOver } = settings;
  const deadline = Date.now() + timeoutMs;
  while (!isOver() && Date.now() < deadline) {
    if (isHeld(home)) {
      const server = readLease(home);
      if (server !== undefined && (await answers(server.address))) return { server, isStarted: false };
    } else {
      const server = await startDaemon(settings);
      if (server !== undefined) return { server, isStarted: true };
    }
    await pause(100);
  }
  throw new Error(`The Temporal server of ${home} does not answer`);
}

/** @returns undefined where another one has the folder's lock */
async function startDaemon({
  asked,
  configs,
  home,
  isNamed,
  say,
  variables,
}: JoinSettings): Promise<ServerLease | undefined> {
  const named = isNamed ? ['--named'] : [];
  const words = [...named, '--temporal', asked, '--configs', configs, '--home', homePath(home)];
  const env = { ...variables, NODE_COMPILE_CACHE: join(cacheFolder(), 'compiled') };
  const log = join(home, 'logs', 'up.log');
  const child = startModule('local/daemon', words, { log, hasChannel: true, detached: true, env });
  const { promise, reject, resolve } = Promise.withResolvers<ServerLease | undefined>();
  child.on('message', ({ failed, ready, say: text }: DaemonMessage) => {
    if (text !== undefined) say(text);
    if (failed !== undefined) reject(new Error(failed));
    if (ready !== undefined) resolve(ready);
  });
  child.once('error', reject);
  child.once('close', (code) =>
    code === 0 ? resolve(undefined) : reject(new Error(`The Temporal server was not started (${code}); logs/up.log`)),
  );
  return promise.finally(() => {
    child.unref();
    child.channel?.unref();
  });
}

/** The person named an address where nothing answers, while the folder's server runs at another one. */
export class OtherAddressError extends Error {}

/**
 * Whether an address of this machine means the home's own server, running or to be started, and not somebody else's.
 *
 * @param isNamed whether the person named the address; if not, a server of another home folder is passed over
 * @throws `OtherAddressError`
 */
export async function isOwnServer(home: string, address: string, isNamed: boolean): Promise<boolean> {
  const own = serversOf(home)[0];
  const recorded = readLease(home);
  // To look whether a folder is held leaves a file in it, also where the command will not run.
  const holder = recorded !== undefined && isHeld(home) ? recorded : undefined;
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

export const isAnotherHomes = (address: string, home: string): boolean =>
  embeddedServers().some((server) => server.address === address && server.database !== databaseOf(home));

/** Ends the folder's daemon, and its server. @returns whether there was one of them */
export async function endDaemon(home: string): Promise<boolean> {
  const found = daemonsOf(home);
  await Promise.all(found.map(endProcess));
  return (await endServers(home)) || found.length > 0;
}

/** Ends the folder's server, as its daemon does. @returns whether there was one */
export async function endServers(home: string): Promise<boolean> {
  const found = serversOf(home);
  await Promise.all(found.map(({ pid }) => endProcess(pid)));
  return found.length > 0;
}

/** The path by which the processes of a home folder name it, however a command has come there. */
const homePath = (home: string): string => (existsSync(home) ? realpathSync(home) : home);

export const databaseOf = (home: string): string => join(homePath(home), 'temporal.db');

export const portOf = (address: string): number => Number(address.split(':').at(-1));

/** The servers of a folder. Their command lines tell, since a daemon may have died before it could record its server. */
const serversOf = (home: string): ReturnType<typeof embeddedServers> =>
  embeddedServers().filter(({ database }) => database === databaseOf(home));

function embeddedServers(): Array<{ pid: number; address: string; database: string }> {
  return processes().flatMap(({ pid, commandLine }) => {
    const [, port] = / --port (\d+)/.exec(commandLine) ?? [];
    const [, database] = / --db-filename (.*?[\\/]temporal\.db)(?= --|$)/s.exec(commandLine) ?? [];
    return port === undefined || database === undefined ? [] : [{ pid, address: `127.0.0.1:${port}`, database }];
  });
}

/** The daemons of a home folder, those that are still starting and have no lock yet included. */
const daemonsOf = (home: string): number[] =>
  processes().flatMap(({ pid, commandLine }) => {
    const [, place] = /daemon\.[jt]s (?:--named )?--temporal .* --home (.*)$/s.exec(commandLine) ?? [];
    return place === homePath(home) ? [pid] : [];
  });

export function originsOf(uiAddress: string): string[] {
  const { port } = new URL(uiAddress);
  return ['127.0.0.1', 'localhost'].map((name) => `http://${name}:${port}`);
}
