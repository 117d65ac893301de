import { execFileSync } from 'node:child_process';

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether a process is the embedded server of a database: pids are used again, command lines tell. */
export function isServerOf(pid: number, database: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).includes(database);
  } catch {
    return false;
  }
}

/** Ends a process and waits until it is gone: politely, after 10 s by force. */
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
    // It was quicker.
  }
}
