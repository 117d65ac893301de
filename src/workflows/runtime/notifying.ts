import { CancellationScope, ParentClosePolicy, rootCause, startChild, workflowInfo } from '@temporalio/workflow';
import type { Ended, Notification, NotificationInput } from '../../protocol/notify.ts';
import type { NotifyEvent } from '../../protocol/settings.ts';
import type { Prepared } from '../../protocol/orchestration.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import type { InStore } from '../../protocol/stored.ts';
import type { PendingRequests } from '../people/pending-requests.ts';
import type { EventLog } from './event-log.ts';
import { shortened } from './size.ts';

/** How many notifications of a run may be under way. The server takes 2,000 children. */
const mostUnderWay = 100;

const maxChars = 10_000;

/** Tells of the end of a run or of a turn. The run may end once that has begun. */
export type TellEnd = (end: Ended) => Promise<void>;

/**
 * Tells whoever wants to know of what waits for a person, and of the end, each time by a workflow of its own that goes on
 * when the run has ended: nobody who cannot be reached keeps a run from its result.
 */
export function notifyOf(
  { events, requests }: { events: EventLog; requests: PendingRequests },
  { notify = [], store }: InStore<Pick<Prepared, 'notify'>>,
): TellEnd {
  let underWay = 0;
  const tell = async (type: NotifyEvent, about: object): Promise<void> => {
    const entries = notify.filter((each) => each.events.includes(type));
    if (entries.length === 0) return;
    const { workflowId, workflowType: workflow } = workflowInfo();
    const [firstLine = ''] = (events.asked ?? '').trim().split('\n');
    const data = { workflowId, workflow, task: shortened(firstLine, 200), ...about } as Notification['data'];
    const notification = { type, timestamp: new Date().toISOString(), data };
    underWay += 1;
    const ended = (error?: unknown): void => {
      underWay -= 1;
      if (error !== undefined) events.emit({ type: 'notice', text: `Not told of "${type}": ${rootCause(error)}` });
    };
    if (underWay > mostUnderWay) return ended(new Error(`${mostUnderWay} notifications are under way already`));
    // The server begins none for a run that has ended before.
    const child = CancellationScope.nonCancellable(() =>
      startChild<(input: NotificationInput) => Promise<void>>('notification', {
        args: [{ store, entries, notification }],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        staticSummary: `${type} of ${workflowId}`,
      }),
    );
    await child.then((begun) => void begun.result().then(() => ended(), ended), ended);
  };
  requests.onOpened = (pending) => {
    const type = pending.kind === 'question' || pending.kind === 'key' ? 'question' : 'approval';
    void tell(type, waiting(pending));
  };
  return ({ agent, answer, outcome }) => tell('final', { outcome, agent, answer: shortened(answer, maxChars) });
}

function waiting(pending: PendingQuestion): object {
  const { arguments: given, parameters: _, question, ...rest } = pending;
  const shown = given !== undefined && { arguments: shortened(given, maxChars) };
  return { ...rest, question: shortened(question, maxChars), ...shown };
}
