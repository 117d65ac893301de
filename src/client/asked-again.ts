import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowClientInterceptor, WorkflowStartUpdateOutput } from '@temporalio/client';
import { askAgain } from '../protocol/errors.ts';

const everyMs = 200;

/**
 * Sends a request again that came to a worker which has just taken the run over from another one, at most for five seconds.
 *
 * - Such a worker puts a query off, since it is to have the run's next task first (`Delivered`, src/workflows/runtime/jobs.ts).
 * - Where it gets a query and an update at once, the SDK's core answers the update's task without the update, and the
 *   server refuses what the run has never seen. Nothing of it is in the history, so it may come again under its id.
 */
export const askedAgain: WorkflowClientInterceptor = {
  query: (input, next) => again(() => next(input), isPutOff, 25),
  startUpdate: (input, next) => again(() => next(input), isOverlooked, 25),
  startUpdateWithStart: (input, next) => again(() => next(input), isOverlooked, 25),
};

/**
 * Starts a run that may be pinned to a version of workers. Where a worker has registered a moment ago, the part of Temporal that
 * checks the pin may not have heard of its version yet, and refuses the start; then it is asked again, at most for thirty seconds.
 */
export const startPinned = <T>(start: () => Promise<T>): Promise<T> => again(start, isUnheardOf, 150);

type Sent<T = unknown> = PromiseSettledResult<T>;

async function again<T>(send: () => Promise<T>, isInVain: (sent: Sent<T>) => boolean, most: number): Promise<T> {
  for (let times = 1; ; times++) {
    const [sent] = await Promise.allSettled([send()]);
    if (times < most && isInVain(sent)) await pause(everyMs);
    else if (sent.status === 'rejected') throw sent.reason;
    else return sent.value;
  }
}

const isPutOff = (sent: Sent): boolean =>
  sent.status === 'rejected' && sent.reason instanceof Error && sent.reason.message.includes(askAgain);

type Outcome = WorkflowStartUpdateOutput['outcome'];

const isOverlooked = (sent: Sent<{ outcome?: Outcome; updateOutcome?: Outcome }>): boolean => {
  if (sent.status === 'rejected') return false;
  const { outcome, updateOutcome } = sent.value;
  return (outcome ?? updateOutcome)?.failure?.applicationFailureInfo?.type === 'UnprocessedUpdate';
};

const isUnheardOf = (sent: Sent): boolean => sent.status === 'rejected' && hasNotHeard(sent.reason);

function hasNotHeard(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Of a start with an update, the message has what the details have otherwise.
  const { cause, code, details = '', message } = error as Error & { code?: number; details?: string };
  // gRPC's FAILED_PRECONDITION.
  const isRefused = code === 9 && `${message} ${details}`.includes('is not present in task queue');
  return isRefused || hasNotHeard(cause);
}
