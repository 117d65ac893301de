import { Client, Connection } from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { OrchestrationRun } from './client/orchestration-run.ts';
import type { OrchestrationInput } from './messages/orchestration.ts';

export { OrchestrationRun, type Look, type PendingCall } from './client/orchestration-run.ts';
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

  async close(): Promise<void> {
    await this.#connection.close();
  }
}

/** Readable, sortable and unique enough: `ask-20260118-170944-x3f9k2`. */
export function newRunId(kind: string): string {
  const time = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${kind}-${time}-${Math.random().toString(36).slice(2, 8)}`;
}

/** What the Web UI shows of a run in its list. */
function firstLine(task: string): string {
  const [line = ''] = task.trim().split('\n');
  return line.slice(0, 200);
}
