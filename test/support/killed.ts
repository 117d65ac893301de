import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** `kill -9` of a process that may have ended, and the wait until it is gone. */
export async function killed(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
