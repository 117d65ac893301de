import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { privateMode } from '../util/private-files.ts';
import type { HiddenPlace } from './ports.ts';
import { endProcess, processes } from '../util/processes.ts';

interface GuardSettings {
  /** The home folder, by the path that `guardOf` is asked for. */
  home: string;
  /** The server's process, with which the guard ends. */
  pid: number;
  /** Where the server's own Web UI listens. */
  ui: HiddenPlace;
  /** Where the guard serves it. */
  uiPort: number;
  /** File to which its output is appended. */
  log: string;
}

const main = fileURLToPath(new URL(`./server-guard.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));

/** Starts the guard of a server, which outlives this process, and waits until it listens. @throws where it ends before */
export async function startGuard({ home, pid, ui, uiPort, log }: GuardSettings): Promise<void> {
  const words = ['--pid', String(pid), '--ui-port', String(uiPort), '--ui', `${ui.host}:${ui.port}`, '--home', home];
  const output = openSync(log, 'a', privateMode.file);
  const stdio = ['ignore', output, output, 'ipc'] as const;
  const child = spawn(process.execPath, [main, ...words], { stdio: [...stdio], detached: true });
  closeSync(output);
  const gone = once(child, 'exit').then(() => 'gone');
  const [said] = await Promise.race([once(child, 'message'), gone.then((text) => [text])]);
  if (said === 'gone') throw new Error(`The Web UI is not served:\n${tail(log)}`);
  child.disconnect();
  child.unref();
}

interface Guard {
  pid: number;
  uiPort: number;
  serverPid: number;
}

/** The guards of a home folder. Their command lines tell, as with servers. */
const guardsOf = (home: string): Guard[] =>
  processes().flatMap(({ pid, commandLine }) => {
    const words = /server-guard\.[jt]s --pid (\d+) --ui-port (\d+) --ui \S+ --home (.*)$/.exec(commandLine);
    return words?.[3] === home ? [{ pid, uiPort: Number(words[2]), serverPid: Number(words[1]) }] : [];
  });

/** The guard of a home's server. */
export const guardOf = (home: string, serverPid: number): Guard | undefined =>
  guardsOf(home).find((guard) => guard.serverPid === serverPid);

/** Ends the guards of a home, of whatever server. */
export async function endGuards(home: string): Promise<void> {
  await Promise.all(guardsOf(home).map(({ pid }) => endProcess(pid)));
}

const tail = (file: string): string => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-3).join('\n');
