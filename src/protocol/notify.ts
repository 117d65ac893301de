import type { FinalOutcome } from './events.ts';
import type { PendingQuestion } from './questions.ts';
import type { NotifyEntry, NotifyEvent } from './settings.ts';

/** How a run or a turn has ended. Of one that has failed the answer is the reason. */
export interface Ended {
  outcome: FinalOutcome | 'failed';
  agent: string;
  answer: string;
}

export interface Notification {
  type: NotifyEvent;
  /** ISO 8601 time. */
  timestamp: string;
  data: {
    workflowId: string;
    workflow: string;
    /** The first line of what the run, or the session's turn, was asked. */
    task: string;
  } & (Omit<PendingQuestion, 'parameters'> | Ended);
}

/** Input of the workflow `notification`, by which a run tells everybody. `store` is that of the run. */
export interface NotificationInput {
  store: string;
  entries: NotifyEntry[];
  notification: Notification;
}
