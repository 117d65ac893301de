import type { FinalOutcome } from './events.ts';
import type { PendingQuestion } from './questions.ts';

/**
 * What somebody may be told of. `question`: an agent asks a person, or a key is missing. `approval`: a tool call, or the plan
 * of a research run, waits for a person. `final`: a run, or a session's turn, has ended.
 */
export type NotifyEvent = 'question' | 'approval' | 'final';

/** An entry of `notify`. `${NAME}` in its address is replaced only when something is sent. */
export interface NotifyEntry {
  url: string;
  events: NotifyEvent[];
  format: 'standard' | 'slack';
  /** The variable that holds the secret by which is signed. */
  secret_env?: string | undefined;
  /** By which a worker knows that a configuration it trusts says so; never part of a configuration. */
  seal?: string | undefined;
}

/** What somebody is told. */
export interface Notification {
  type: NotifyEvent;
  /** ISO 8601 time. */
  timestamp: string;
  data: {
    workflowId: string;
    /** The workflow type. */
    workflow: string;
    /** The first line of what the run, or the session's turn, was asked. */
    task: string;
  } & (Omit<PendingQuestion, 'parameters'> | { outcome: FinalOutcome; agent: string; answer: string });
}

/** Input of the workflow `notification`, by which a run tells everybody. `store` is that of the run. */
export interface NotificationInput {
  store: string;
  entries: NotifyEntry[];
  notification: Notification;
}
