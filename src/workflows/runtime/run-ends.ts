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

/** Settles what calls without a reply have cost, and emits the event `final`. */
export async function tellFinal(
  { events, usage }: RunContext,
  final: Omit<Extract<RunEventBody, { type: 'final' }>, 'type'>,
): Promise<void> {
  const { abandoned, over } = usage.left;
  if (abandoned.length + over.length > 0) usage.settle(await settleAbandonedCalls(abandoned, over));
  events.emit({ type: 'final', ...final });
}

export function setOutcome(outcome: FinalOutcome): void {
  upsertSearchAttributes([{ key: outcomeAttribute, value: outcome }]);
}
