import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, readlink } from 'node:fs/promises';

/** With their command lines, since a pid may be used again. On Linux from `/proc`: slim containers have no `ps`. */
export function processes(): Array<{ pid: number; commandLine: string }> {
  if (process.platform === 'linux') {
    return pids().map((pid) => ({ pid, commandLine: commandLineOnLinux(pid) }));
  }
  const listed = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' });
  return listed.split('\n').flatMap((line) => {
    const [, pid, commandLine = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), commandLine }];
  });
}

const pids = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

const commandLineOnLinux = (pid: number): string => said(pid, 'cmdline').replaceAll('\0', ' ').trim();

/** '' if it has just ended. Threads that read files would take ten times as long, and a bomb of processes grows. */
function said(pid: number, of: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${of}`, 'utf8');
  } catch {
    return '';
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  // A process that has ended stays listed until its parent asks, which the first process of some containers never does.
  return process.platform !== 'linux' || commandLineOnLinux(pid) !== '';
}

/** Ends a process and waits until it is gone: by SIGTERM, and after 10 s by SIGKILL. */
export async function endProcess(pid: number): Promise<void> {
  const politeUntil = Date.now() + 10_000;
  sendSignal(pid, 'SIGTERM');
  while (isAlive(pid)) {
    if (Date.now() > politeUntil) sendSignal(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Sends a signal to a process of which nobody knows whether it is still there. @param pid negative for a group */
export function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile, or belongs to somebody else.
  }
}

interface Executed {
  /** The exit code; null if a signal or the time has ended it, undefined if there is no such program. */
  code: number | null | undefined;
  output: string;
  errors: string;
}

/** Runs a program that answers soon. Never throws. @param env this process's environment if it is absent */
export async function execute([file = '', ...args]: string[], env?: Record<string, string>): Promise<Executed> {
  const { promise, resolve } = Promise.withResolvers<Executed>();
  execFile(file, args, { env, timeout: 20_000, killSignal: 'SIGKILL' }, (error, output, errors) => {
    const ended = typeof error?.code === 'number' ? error.code : error?.killed || error?.signal ? null : undefined;
    resolve({ code: error === null ? 0 : ended, output, errors });
  });
  return promise;
}

/** A process of Linux (proc(5)). Its number may be used again, by one that has started later. */
export interface LinuxProcess {
  pid: number;
  parent: number;
  group: number;
  /** In ticks since the machine has started. */
  startedAt: string;
  memory: number;
}

const pageBytes = 4096;

/** How many processes are read before other work has its turn: a command may start thousands. */
const atOnce = 100;

/** The living processes of this machine with their parents; none on other systems than Linux. */
export async function linuxProcesses(): Promise<LinuxProcess[]> {
  if (process.platform !== 'linux') return [];
  const all = pids();
  const read: Array<LinuxProcess | undefined> = [];
  for (let at = 0; at < all.length; at += atOnce) {
    read.push(...all.slice(at, at + atOnce).map(linuxProcess));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return read.filter((each) => each !== undefined);
}

/** The living children of a process; undefined where the system does not list them, or it has ended. */
export function childrenOf(pid: number): LinuxProcess[] | undefined {
  try {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return listed.flatMap((each) => (each === '' ? [] : (linuxProcess(Number(each)) ?? [])));
  } catch {
    return undefined;
  }
}

function linuxProcess(pid: number): LinuxProcess | undefined {
  const text = said(pid, 'stat');
  // The name of the program may have spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group] = fields;
  // One that has ended waits only for its parent to ask for it.
  if (group === undefined || state === 'Z' || state === 'X') return undefined;
  const [startedAt = '', memory = 0] = [fields[19], fields[21]];
  return { pid, parent: Number(parent), group: Number(group), startedAt, memory: Number(memory) * pageBytes };
}

/** Whether the environment of a process has this text; false where that cannot be read. */
export const environmentHas = async (pid: number, text: string): Promise<boolean> =>
  (await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')).includes(text);

export const folderOf = (pid: number): Promise<string> => readlink(`/proc/${pid}/cwd`).catch(() => '');
