import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * The processes of this machine that are visible to this one, with their command lines, since a pid may be used again. On
 * Linux they are read from `/proc`, because slim containers have no `ps`.
 */
export function processes(): Array<{ pid: number; commandLine: string }> {
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), commandLine: commandLineOnLinux(name) }));
  }
  const listed = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' });
  return listed.split('\n').flatMap((line) => {
    const [, pid, commandLine = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), commandLine }];
  });
}

function commandLineOnLinux(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    // The process has just ended.
    return '';
  }
}

/** Whether a process is an `up`. */
export function isUp(pid: number): boolean {
  return processes().some((each) => each.pid === pid && / up( |$)/.test(each.commandLine));
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  // A process that has ended stays listed until its parent asks, which the first process of some containers never does.
  return process.platform !== 'linux' || commandLineOnLinux(String(pid)) !== '';
}

/** Ends a process and waits until it is gone: by SIGTERM, and after 10 s by SIGKILL. */
export async function endProcess(pid: number): Promise<void> {
  const politeUntil = Date.now() + 10_000;
  signal(pid, 'SIGTERM');
  while (isAlive(pid)) {
    if (Date.now() > politeUntil) signal(pid, 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended meanwhile.
  }
}
