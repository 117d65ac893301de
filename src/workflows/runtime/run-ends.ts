import type { SearchAttributePair } from '@temporalio/common';
import {
  CancellationScope,
  isCancellation,
  rootCause,
  TemporalFailure,
  upsertMemo,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import { inStore } from './store-activities.ts';
import type { FinalOutcome, RunEventBody } from '../../protocol/events.ts';
import type { RunMemo } from '../../protocol/usage.ts';
import type { Prepared } from '../../protocol/orchestration.ts';
import type { Usage } from '../../protocol/usage.ts';
import { outcomeAttribute, questionAttribute } from './attributes.ts';
import type { RunContext } from './run-context.ts';
import type { RunHandlers } from './run-handlers.ts';
import { beginningOf } from './size.ts';
import { spent } from './tracing.ts';

/**
 * Shows what the run was asked and that its first attempt begins, and emits the event `started` with the first line of it, and
 * the notices for the person who started the run.
 */
export function announce(handlers: RunHandlers, task: string, agents: string[], prepared: Prepared): void {
  const { events } = handlers;
  showQuestion(task, prepared, handlers.attemptToShow(1));
  const [firstLine = ''] = task.trim().split('\n');
  events.emit({ type: 'started', task: firstLine, agents });
  for (const text of prepared.notices) events.emit({ type: 'notice', text });
}

/** How much of a question the memo and the search attribute hold, in characters. */
const shownOfQuestion = 200;

/**
 * Puts the question into the lists of runs. The workflow does so, since runs may be started by anything that can.
 *
 * @param attributes what the lists show besides, since each command is an event
 */
export function showQuestion(text: string, { hasQuestion }: Prepared, attributes: SearchAttributePair[] = []): void {
  const question = beginningOf(text.trim(), shownOfQuestion);
  upsertMemo({ question } satisfies RunMemo);
  const shown = [...(hasQuestion ? [{ key: questionAttribute, value: question }] : []), ...attributes];
  if (shown.length > 0) upsertSearchAttributes(shown);
}

/** Settles what calls without a reply have cost. */
export async function settleCalls({ usage }: RunContext): Promise<void> {
  const { abandoned, over } = usage.left;
  if (abandoned.length + over.length === 0) return;
  const settled = usage.settle(await inStore.settleAbandonedCalls(abandoned, over));
  for (const { agent, model, usage, cost } of settled) spent(agent, model, usage, cost);
}

/** Settles what calls without a reply have cost, tells those who want to know of the end, and emits the event `final`. */
export async function tellFinal(
  run: RunContext,
  final: Omit<Extract<RunEventBody, { type: 'final' }>, 'type'>,
): Promise<void> {
  await settleCalls(run);
  await run.handlers.tellEnd(final);
  run.events.emit({ type: 'final', ...final });
}

/** Waits for a run's work, or a turn's. If it fails, those who want to know of the end are told why. @throws what the work throws */
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
