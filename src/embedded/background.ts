import { spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isHeld, readHolder, type Holder } from './lock.ts';
import { endServer } from './home-server.ts';
import { endProcess, isAlive, isUp } from './processes.ts';

export interface BackgroundSettings {
  home: string;
  address: string;
  namespace: string;
  extensions: string;
  /** Asks the present holder to hand over: its worker differs from the one that is needed. */
  replace: boolean;
  /** Told what the new one says while it starts: it may have to fetch the Temporal CLI first. */
  onProgress: (text: string) => void;
}

const main = fileURLToPath(new URL(`../cli/main.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));

const logOf = (home: string): string => join(home, 'logs', 'up.log');

/**
 * Starts an `up` that outlives this process, and waits until its worker polls.
 * Of several commands that do so at once, one starts it and all find it.
 *
 * @throws where it ends before that, with the end of its log
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
    // One that ended because another command was quicker is no failure: that other one is waited for.
    if (exited && !isHeld(home)) throw new Error(`The background worker did not start:\n${tail(logOf(home))}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Asks an `up` to let its calls in flight finish, to leave its server to the next one, and to end. */
export function askToHandOver(holder: Holder | undefined): void {
  if (holder !== undefined && isUp(holder.pid)) process.kill(holder.pid, 'SIGUSR2');
}

/** Ends a background or foreground `up` and its server. @returns whether there was one */
export async function stopUp(home: string): Promise<boolean> {
  if (!existsSync(home)) return false;
  const holder = readHolder(home);
  const held = isHeld(home);
  if (held && holder !== undefined && isUp(holder.pid)) await endProcess(holder.pid);
  const left = await endServer(home);
  return held || left;
}

const tail = (file: string): string => readFileSync(file, 'utf8').trimEnd().split('\n').slice(-8).join('\n');
