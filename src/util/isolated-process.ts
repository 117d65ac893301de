/**
 * A process of `runIsolated`, which does the work in a thread, and whose main thread watches the memory of all of it.
 */
import { endedAt, runIsolated, type IsolatedWork, type Said } from './isolated.ts';

const end = (): boolean => process.kill(process.pid, 'SIGKILL');
const finish = (said: Said): boolean | undefined => process.send?.(said, end);

process.once('disconnect', end);
process.once('message', ({ data, memoryMb, program, what }: IsolatedWork) => {
  setInterval(() => {
    if (process.memoryUsage.rss() > memoryMb * 1_000_000) finish({ problem: endedAt(what, memoryMb) });
  }, 20);
  const onMessage = (message: unknown): void => void process.send?.({ message } satisfies Said);
  runIsolated(new URL(program), data, { what, memoryMb, onMessage }).then(
    (result) => finish({ result }),
    (error: Error) => finish({ problem: error.message }),
  );
});
