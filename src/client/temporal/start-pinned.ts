import { setTimeout as pause } from 'node:timers/promises';

/** How long Temporal may need until all its parts know a version of workers that one part knows, in milliseconds. */
const timeoutMs = 30_000;

const askEveryMs = 100;

/** gRPC's FAILED_PRECONDITION. */
const failedPrecondition = 9;

const unheardOf = 'is not present in task queue';

/**
 * Starts a run that may be pinned to a version of workers. Where a worker has registered a moment ago, the part of Temporal that
 * checks the pin may not have heard of its version yet, and refuses the start; then it is asked again.
 */
export async function startPinned<T>(start: () => Promise<T>): Promise<T> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!isUnheardOf(error) || performance.now() > until) throw error;
    }
    await pause(askEveryMs);
  }
}

function isUnheardOf(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Of a start with an update, the message has what the details have otherwise.
  const { cause, code, details = '', message } = error as Error & { code?: number; details?: string };
  return (code === failedPrecondition && `${message} ${details}`.includes(unheardOf)) || isUnheardOf(cause);
}
