import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * What a process prints first, by which it says that it is ready. Fails if it ends before, since a wait for the words of a
 * process that has ended would end with the test's time, and say nothing.
 */
export async function firstWords(child: ChildProcess): Promise<string> {
  const { stderr, stdout } = child;
  if (stdout === null) throw new Error('its output is not a pipe');
  let complaint = '';
  const hear = (chunk: Buffer): void => {
    complaint += chunk.toString();
  };
  stderr?.on('data', hear);
  const ended = new AbortController();
  try {
    return await Promise.race([
      once(stdout, 'data', ended).then(([chunk]) => String(chunk)),
      once(child, 'close', ended).then(([status, signal]: unknown[]) => {
        throw new Error(`the process has ended before it was ready (${String(status ?? signal)}): ${complaint}`);
      }),
    ]);
  } finally {
    ended.abort();
    stderr?.off('data', hear);
  }
}
