import { Client, Connection } from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { questionsOf, waitingRuns, type InboxQuestion } from './client/inbox.ts';
import { firstLine, newRunId } from './client/names.ts';
import { OrchestrationRun } from './client/orchestration-run.ts';
import { Run } from './client/run.ts';
import { SessionRun } from './client/session-run.ts';
import type { OrchestrationInput } from './messages/orchestration.ts';
import type { SessionInput } from './messages/session.ts';

export type { Place } from './client/chain.ts';
export { AnswerTooLong, NoOpenRun } from './client/failures.ts';
export type { InboxQuestion } from './client/inbox.ts';
export type { Look, PendingCall, RunState } from './client/look.ts';
export { newRunId } from './client/names.ts';
export { OrchestrationRun } from './client/orchestration-run.ts';
export { Run } from './client/run.ts';
export { SessionRun } from './client/session-run.ts';
export type { WatchOptions } from './client/watch.ts';
export type { HumanReply, PendingQuestion } from './messages/broadcast.ts';
export type { RunEvent } from './messages/events.ts';
export type { OrchestrationInput, OrchestrationResult, Outcome } from './messages/orchestration.ts';
export type { SessionInput, SessionResult, TurnResult } from './messages/session.ts';
export type { OrchestrationState } from './messages/state.ts';
export type { TeamConfigInput } from './config/team.ts';

/** The task queue that Reprise's workers poll. */
export const taskQueue = 'reprise';

export interface ConnectOptions {
  /** Wins over `TEMPORAL_ADDRESS` and the profile. */
  address?: string;
  namespace?: string;
  /** Another queue than `reprise`, for workers of one's own. */
  taskQueue?: string;
  /** Leaves out the environment's TLS and API key, which are not meant for an embedded server. */
  plain?: boolean;
  /** How long the server may take to answer; 5 seconds when absent. */
  connectTimeout?: Duration;
}

/** Where Temporal runs when nobody says. */
export const defaultAddress = '127.0.0.1:7233';

/**
 * Connects as the Temporal CLI does: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, `TEMPORAL_PROFILE`,
 * `TEMPORAL_API_KEY`, TLS (https://docs.temporal.io/develop/environment-configuration).
 *
 * @throws where no Temporal server answers at the address
 */
export async function connect(options: ConnectOptions = {}): Promise<Reprise> {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const address = options.address || connectionOptions.address || defaultAddress;
  const connection = await Connection.connect({
    ...(options.plain ? {} : connectionOptions),
    address,
    connectTimeout: options.connectTimeout ?? '5 seconds',
  });
  try {
    // `Connection.connect` takes a server that knows no Temporal at all for an old one.
    await connection.workflowService.getSystemInfo({});
  } catch (error) {
    await connection.close();
    throw error;
  }
  const client = new Client({ connection, namespace: options.namespace ?? (namespace || 'default') });
  return new Reprise(client, connection, options.taskQueue ?? taskQueue);
}

/** A connection to the Temporal server on which runs are started and found. */
export class Reprise {
  /** Temporal's own client, for everything that this class does not have. */
  readonly client: Client;
  readonly #connection: Connection;
  readonly #taskQueue: string;

  constructor(client: Client, connection: Connection, queue: string) {
    this.client = client;
    this.#connection = connection;
    this.#taskQueue = queue;
  }

  /** Starts a team on a task. @param options `id`: the workflow's id; a readable one is made when absent */
  async startOrchestration(
    input: OrchestrationInput,
    options: { id?: string } = {},
  ): Promise<OrchestrationRun> {
    const workflowId = options.id ?? newRunId('ask');
    const handle = await this.client.workflow.start('orchestration', {
      taskQueue: this.#taskQueue,
      workflowId,
      args: [input],
      staticSummary: firstLine(input.task),
    });
    return new OrchestrationRun(handle);
  }

  /** A run that was started before, from anywhere. */
  orchestration(id: string): OrchestrationRun {
    return new OrchestrationRun(this.client.workflow.getHandle(id));
  }

  /**
   * Starts a conversation. With `text` it takes this one turn and completes, else it waits for turns until it is closed.
   *
   * @param options `id`: the workflow's id; a readable one is made when absent
   */
  async startSession(input: SessionInput, options: { id?: string } = {}): Promise<SessionRun> {
    const start = this.#sessionStart(input, options.id ?? newRunId('chat'));
    return new SessionRun(await this.client.workflow.start('session', start));
  }

  /**
   * A conversation that is open, or that begins with its first turn.
   *
   * @param input for one that begins; one that is open has its own
   */
  session(id: string, input: SessionInput = {}): SessionRun {
    return new SessionRun(this.client.workflow.getHandle(id), this.#sessionStart(input, id));
  }

  /** A run of any kind that was started before, from anywhere. */
  run(id: string): Run {
    return new Run(this.client.workflow.getHandle(id));
  }

  /** All runs that wait for a person. */
  async waiting(): Promise<Run[]> {
    return waitingRuns(this.client);
  }

  /**
   * All questions that wait for a person, over all runs, the oldest first.
   *
   * @param onSilent told of each run that did not answer in time; its questions are left out
   */
  async inbox(onSilent: (workflowId: string, reason: Error) => void = () => {}): Promise<InboxQuestion[]> {
    return questionsOf(this.client, onSilent);
  }

  #sessionStart(input: SessionInput, workflowId: string) {
    const staticSummary = firstLine(input.text ?? '');
    return {
      taskQueue: this.#taskQueue,
      workflowId,
      args: [input],
      ...(staticSummary !== '' && { staticSummary }),
    };
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}
