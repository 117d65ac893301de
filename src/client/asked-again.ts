import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowClientInterceptor, WorkflowStartUpdateOutput } from '@temporalio/client';
import { askAgain } from '../protocol/errors.ts';

/** How often a request is sent again, and after how long, in milliseconds. */
const maxTries = 25;
const everyMs = 200;

/**
 * Sends a request again that came to a worker which has just taken the run over from another one, at most for five seconds.
 *
 * - Such a worker puts a query off, since it is to have the run's next task first (`Told`, src/workflows/runtime/jobs.ts).
 * - Where it gets a query and an update at once, the SDK's core answers the update's task without the update, and the
 *   server refuses what the run has never seen. Nothing of it is in the history, so it may come again under its id.
 */
export const askedAgain: WorkflowClientInterceptor = {
  query: (input, next) => again(() => next(input), isPutOff),
  startUpdate: (input, next) => again(() => next(input), isOverlooked),
  startUpdateWithStart: (input, next) => again(() => next(input), isOverlooked),
};

async function again<T>(send: () => Promise<T>, isInVain: (sent: PromiseSettledResult<T>) => boolean): Promise<T> {
  for (let times = 1; ; times++) {
    const [sent] = await Promise.allSettled([send()]);
    if (times < maxTries && isInVain(sent)) await pause(everyMs);
    else if (sent.status === 'rejected') throw sent.reason;
    else return sent.value;
  }
}

const isPutOff = (sent: PromiseSettledResult<unknown>): boolean =>
  sent.status === 'rejected' && sent.reason instanceof Error && sent.reason.message.includes(askAgain);

type Outcome = WorkflowStartUpdateOutput['outcome'];

const isOverlooked = (sent: PromiseSettledResult<{ outcome?: Outcome; updateOutcome?: Outcome }>): boolean => {
  if (sent.status === 'rejected') return false;
  const { outcome, updateOutcome } = sent.value;
  return (outcome ?? updateOutcome)?.failure?.applicationFailureInfo?.type === 'UnprocessedUpdate';
};
