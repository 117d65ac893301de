/**
 * Reprise as a library: start runs, follow them, step in.
 *
 * @example
 * ```ts
 * import { connect } from 'reprise';
 *
 * const reprise = await connect();
 * const run = await reprise.startOrchestration({ task: 'Which database suits us?' });
 * console.log((await run.result()).answer);
 * await reprise.close();
 * ```
 */
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import type { RunEvent } from './messages/events.ts';
import type { ModelProgress } from './messages/model-call.ts';
import type { OrchestrationInput, OrchestrationResult } from './messages/orchestration.ts';
import type { OrchestrationState } from './messages/state.ts';

export type { RunEvent } from './messages/events.ts';
export type { OrchestrationInput, OrchestrationResult, Outcome } from './messages/orchestration.ts';
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
}

/**
 * Connects as the Temporal CLI does: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, `TEMPORAL_PROFILE`,
 * `TEMPORAL_API_KEY`, TLS (https://docs.temporal.io/develop/environment-configuration).
 *
 * @throws where nothing answers at the address
 */
export async function connect(options: ConnectOptions = {}): Promise<Reprise> {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const { address } = options;
  const connection = await Connection.connect({
    ...connectionOptions,
    ...(address !== undefined && { address }),
  });
  const client = new Client({ connection, namespace: options.namespace ?? namespace ?? 'default' });
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

  async close(): Promise<void> {
    await this.#connection.close();
  }
}

/** A model call that is under way. */
export interface PendingCall {
  activityId: string;
  /** From 1; more than 1: the world failed, and the call is made again. */
  attempt: number;
  /** Why the last try failed. */
  lastFailure?: string;
  /** What the model has written so far; absent before its first heartbeat. */
  progress?: ModelProgress;
}

export class OrchestrationRun {
  readonly #handle: WorkflowHandle;

  constructor(handle: WorkflowHandle) {
    this.#handle = handle;
  }

  get id(): string {
    return this.#handle.workflowId;
  }

  /** Waits for the end. @throws `WorkflowFailedError` */
  async result(): Promise<OrchestrationResult> {
    return (await this.#handle.result()) as OrchestrationResult;
  }

  /** Asks for a restart as a person: it counts toward the limit, and is refused at it. */
  async requestRestart(reason: string, instructions: string): Promise<void> {
    await this.#handle.signal('requestRestart', { reason, instructions });
  }

  /** What has happened, from a sequence number on. */
  async events(from = 1): Promise<RunEvent[]> {
    return this.#handle.query<RunEvent[], [number]>('events', from);
  }

  async state(): Promise<OrchestrationState> {
    return this.#handle.query<OrchestrationState>('state');
  }

  /** Whether the run still goes on. @throws `WorkflowNotFoundError` */
  async isOpen(): Promise<boolean> {
    return (await this.#handle.describe()).status.name === 'RUNNING';
  }

  /** The calls under way, with the texts in progress that their heartbeats carry. */
  async pendingCalls(): Promise<PendingCall[]> {
    const { raw } = await this.#handle.describe();
    const { payloadConverter } = this.#handle.client.options.loadedDataConverter;
    return (raw.pendingActivities ?? []).map(({ activityId, attempt, lastFailure, heartbeatDetails }) => {
      const payload = heartbeatDetails?.payloads?.[0];
      return {
        activityId: activityId ?? '',
        attempt: attempt ?? 1,
        ...(lastFailure?.message && { lastFailure: lastFailure.message }),
        ...(payload && { progress: payloadConverter.fromPayload<ModelProgress>(payload) }),
      };
    });
  }
}

/** Readable, sortable and unique enough: `ask-20260118-170944-x3f9`. */
export function newRunId(kind: string): string {
  const time = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${kind}-${time}-${Math.random().toString(36).slice(2, 6)}`;
}

/** What the Web UI shows of a run in its list. */
function firstLine(task: string): string {
  const [line = ''] = task.trim().split('\n');
  return line.slice(0, 200);
}
