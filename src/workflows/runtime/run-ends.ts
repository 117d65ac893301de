import { proxyLocalActivities, upsertSearchAttributes } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { FinalOutcome, RunEventBody } from '../../protocol/events.ts';
import { outcomeAttribute } from './attributes.ts';
import type { EventLog } from './event-log.ts';
import type { RunContext } from './run-context.ts';

const { settleAbandonedCalls } = proxyLocalActivities<Activities>({ startToCloseTimeout: '30 seconds' });

/** Emits the event `started` with the first line of the task, and the notices for the person who started the run. */
export function announce(events: EventLog, task: string, agents: string[], notices: string[]): void {
  const [firstLine = ''] = task.trim().split('\n');
  events.emit({ type: 'started', task: firstLine, agents });
  for (const text of notices) events.emit({ type: 'notice', text });
}

/** Settles what abandoned calls have cost, and emits the event `final`. */
export async function tellFinal(
  { events, usage }: RunContext,
  final: Omit<Extract<RunEventBody, { type: 'final' }>, 'type'>,
): Promise<void> {
  if (usage.abandoned.length > 0) usage.settle(await settleAbandonedCalls(usage.abandoned));
  events.emit({ type: 'final', ...final });
}

export function setOutcome(outcome: FinalOutcome): void {
  upsertSearchAttributes([{ key: outcomeAttribute, value: outcome }]);
}
