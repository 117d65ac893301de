/** A thread that does one piece of work, which `runIsolated` starts. */
import { parentPort, workerData } from 'node:worker_threads';
import type { IsolatedWork, Said } from './isolated.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
const say = (said: Said): void => parentPort?.postMessage(said);

async function work({ data, program }: IsolatedWork): Promise<void> {
  try {
    const { default: run } = (await import(program)) as {
      default: (data: unknown, post: (message: unknown) => void) => unknown;
    };
    say({ result: await run(data, (message) => say({ message })) });
  } catch (error) {
    say({ problem: (error as Error).message });
  }
}

void work(workerData as IsolatedWork);
