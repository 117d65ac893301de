import type { SearchAttributePair } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  rootCause,
  TemporalFailure,
  upsertMemo,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { inStore } from './own-store.ts';
import type { FinalOutcome, RunEventBody } from '../../protocol/events.ts';
import type { Prepared } from '../../protocol/orchestration.ts';
import type { RunMemo, Usage } from '../../protocol/usage.ts';
import { outcomeAttribute, questionAttribute } from './attributes.ts';
import type { RunContext } from './run-context.ts';
import type { RunHandlers } from './run-handlers.ts';
import { beginningOf } from './size.ts';
import { spent } from './tracing.ts';

/**
 * Opens a run: from its input to its first prompt. One that is cancelled meanwhile ends with a result, as later.
 *
 * @throws the failure that an activity ended with as the run's own, so that whoever started the run reads first what is wrong
 */
export async function opened<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await CancellationScope.nonCancellable(open);
  } catch (error) {
    const isOwn = error instanceof ActivityFailure && error.cause instanceof ApplicationFailure;
    throw isOwn ? error.cause : error;
  }
}

/** Shows what the run was asked and that its first attempt begins, and tells what there is to tell about it. */
export function announce(handlers: RunHandlers, task: string, agents: string[], prepared: Prepared): void {
  const { events } = handlers;
  showQuestion(task, prepared, handlers.attemptToShow(1));
  const [firstLine = ''] = task.trim().split('\n');
  events.emit({ type: 'started', task: firstLine, agents });
  for (const text of prepared.notices) events.emit({ type: 'notice', text });
}

/**
 * Puts the question's first 200 characters into the lists of runs. The workflow does so, since runs may be started by
 * anything.
 *
 * @param attributes what the lists show besides, since each command is an event
 */
export function showQuestion(text: string, { hasQuestion }: Prepared, attributes: SearchAttributePair[] = []): void {
  const question = beginningOf(text.trim(), 200);
  upsertMemo({ question } satisfies RunMemo);
  const shown = [...(hasQuestion ? [{ key: questionAttribute, value: question }] : []), ...attributes];
  if (shown.length > 0) upsertSearchAttributes(shown);
}

export async function settleCalls({ usage }: RunContext): Promise<void> {
  const { abandoned, over } = usage.left;
  if (abandoned.length + over.length === 0) return;
  const settled = usage.settle(await inStore.settleAbandonedCalls(abandoned, over));
  for (const { agent, model, usage, cost } of settled) spent(agent, model, usage, cost);
}

/** Settles what is open, tells those who want to know of the end, and emits the event `final`. */
export async function tellFinal(
  run: RunContext,
  final: Omit<Extract<RunEventBody, { type: 'final' }>, 'type'>,
): Promise<void> {
  await settleCalls(run);
  await run.handlers.tellEnd(final);
  run.events.emit({ type: 'final', ...final });
}

/** Waits for the work of a run or turn. If it fails, those who want to know of the end are told why. */
export async function tellIfFailed<T>({ handlers }: RunContext, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    // Any other error is one of the code, by which the run stands still until that is mended.
    const why = error instanceof TemporalFailure && !isCancellation(error) ? rootCause(error) : undefined;
    const failed = { outcome: 'failed', agent: '', answer: why ?? '' } as const;
    if (why !== undefined) await CancellationScope.nonCancellable(() => handlers.tellEnd(failed));
    throw error;
  }
}

/** Shows in the lists of runs how the run has ended, and what it has spent. */
export function showEnd(outcome: FinalOutcome, usage: Usage): void {
  const { byAgent: _, ...spent } = usage;
  upsertSearchAttributes([{ key: outcomeAttribute, value: outcome }]);
  upsertMemo({ spent } satisfies RunMemo);
}
