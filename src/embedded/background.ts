import { spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isHeld, readHolder, type Holder } from './lock.ts';
import { endServer } from './home-server.ts';
import { endProcess, isAlive, isUp } from './processes.ts';

interface BackgroundSettings {
  home: string;
  address: string;
  namespace: string;
  extensions: string;
  /** Whether to ask the present holder to hand over, since its worker differs from the one that is needed. */
  replace: boolean;
  /** Is told what the new `up` prints while it starts; it may have to fetch the Temporal CLI first. */
  onProgress: (text: string) => void;
}

const main = fileURLToPath(new URL(`../cli/main.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));

const logOf = (home: string): string => join(home, 'logs', 'up.log');

/**
 * Starts an `up` that outlives this process, and waits until its worker polls. Of several commands that do so at the same
 * time, one starts it and all find it.
 *
 * @throws where the `up` ends before its worker polls, with the end of its log
 */
export async function startBackground(settings: BackgroundSettings): Promise<Holder> {
  const { home, address, namespace, extensions, replace, onProgress } = settings;
  const before = readHolder(home);
  if (replace) askToHandOver(before);
  mkdirSync(join(home, 'logs'), { recursive: true });
  const output = openSync(logOf(home), 'a');
  let told = fstatSync(output).size;
  const words = [
    'up',
    '--background',
    '--temporal',
    address,
    '--extensions',
    extensions,
    ...(replace && before !== undefined ? ['--take-over', String(before.pid)] : []),
  ];
  const child = spawn(process.execPath, [main, ...words], {
    stdio: ['ignore', output, output],
    detached: true,
    env: { ...process.env, REPRISE_HOME: home, TEMPORAL_NAMESPACE: namespace },
  });
  closeSync(output);
  child.unref();
  let exited = false;
  child.once('exit', () => (exited = true));
  for (;;) {
    const said = readFileSync(logOf(home)).subarray(told);
    told += said.length;
    if (said.length > 0) onProgress(said.toString().trimEnd());
    const holder = readHolder(home);
    const isNew = !replace || holder?.pid !== before?.pid;
    if (holder?.ready && isNew && isAlive(holder.pid) && isHeld(home)) return holder;
    // An `up` also ends where another command was quicker, and then the other one is waited for.
    if (exited && !isHeld(home)) throw new Error(`The background worker did not start:\n${tail(logOf(home))}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Asks an `up` to let its calls in flight finish, to leave its server to the next `up`, and to end. */
export function askToHandOver(holder: Holder | undefined): void {
  if (holder !== undefined && isUp(holder.pid)) process.kill(holder.pid, 'SIGUSR2');
}

/** Ends an `up`, in the background or not, and its server. @returns whether there was one of them */
export async function stopUp(home: string): Promise<boolean> {
  if (!existsSync(home)) return false;
  const holder = readHolder(home);
  const held = isHeld(home);
  if (held && holder !== undefined && isUp(holder.pid)) await endProcess(holder.pid);
  const left = await endServer(home);
  return held || left;
}

const useFile = (home: string): string => join(home, 'last-use');

/** Records that a command is using a home folder's server, which keeps a background `up` from ending. */
export function noteUse(home: string): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(useFile(home), '');
}

/** When a command last used a home folder's server, in milliseconds since the epoch; 0 where none ever has. */
export const lastUse = (home: string): number => statSync(useFile(home), { throwIfNoEntry: false })?.mtimeMs ?? 0;

const tail = (file: string): string => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-8).join('\n');
