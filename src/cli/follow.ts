import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import type { OrchestrationRun } from '../client.ts';
import type { OrchestrationResult } from '../messages/orchestration.ts';
import { CommandError, exitStatus, say } from './exit.ts';
import { openView, type View } from './live/view.ts';
import type { CommonOptions } from './options.ts';

const lookEveryMs = 250;

/** Shows a run until its end, and prints its answer or its result. Ctrl-C leaves; the run goes on. */
export async function follow(run: OrchestrationRun, options: CommonOptions): Promise<void> {
  const view = openView(options.plain ?? false);
  const leave = (): never => {
    view.close();
    say(`The run goes on. Come back to it with: reprise watch ${run.id}`);
    process.exit(exitStatus.interrupted);
  };
  process.once('SIGINT', leave);
  try {
    const result = await showUntilEnd(run, view);
    view.close();
    process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : `${result.answer}\n`);
  } catch (error) {
    view.close();
    throw asCommandError(error);
  } finally {
    process.removeListener('SIGINT', leave);
  }
}

async function showUntilEnd(run: OrchestrationRun, view: View): Promise<OrchestrationResult> {
  const end = run.result();
  const ended = end.then(
    () => true,
    () => true,
  );
  let seen = 0;
  const showEvents = async (): Promise<void> => {
    for (const event of await run.events(seen + 1)) {
      view.event(event);
      seen = event.seq;
    }
  };
  const pause = (): Promise<false> => new Promise((resolve) => setTimeout(() => resolve(false), lookEveryMs));
  do {
    try {
      await showEvents();
      view.progress(await run.state(), await run.pendingCalls());
    } catch {
      // Server or worker are away for a moment: the run is not, and the next look finds them back.
    }
  } while (!(await Promise.race([ended, pause()])));
  await showEvents();
  return end;
}

/** What went wrong in words: the reasons of a failed run, without stack traces. */
function asCommandError(error: unknown): unknown {
  if (!(error instanceof WorkflowFailedError)) return error;
  const { cause } = error;
  if (cause instanceof CancelledFailure) return new CommandError('The run was cancelled');
  if (cause instanceof TerminatedFailure) return new CommandError(`The run was terminated: ${cause.message}`);
  const innermost = innermostOf(cause);
  const isInput = innermost instanceof ApplicationFailure && innermost.type === 'InvalidInput';
  return new CommandError(innermost.message, isInput ? exitStatus.usage : exitStatus.failed);
}

function innermostOf(error: Error | undefined): Error {
  let innermost = error ?? new Error('The run failed');
  while (innermost.cause instanceof Error) innermost = innermost.cause;
  return innermost;
}
