import {
  isGrpcServiceError,
  QueryNotRegisteredError,
  ServiceError,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
} from '@temporalio/client';
import type { RunEvent } from '../messages/events.ts';
import type { ModelProgress } from '../messages/model-call.ts';
import type { OrchestrationResult } from '../messages/orchestration.ts';
import type { OrchestrationState } from '../messages/state.ts';

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

/** What one look at a run has found. */
export interface Look {
  /** What has happened since the look before. */
  events: RunEvent[];
  /** The last state that is known; absent until a worker has told one. */
  state: OrchestrationState | undefined;
  calls: PendingCall[];
  /** Why this look was in vain: the server, or a worker to answer queries, is away. The run is not. */
  trouble?: Error;
}

/** How long a look waits for the server, and for a worker to answer queries, in milliseconds. */
const lookPatience = 5000;

/** A run that nobody has begun to work on knows no queries yet; all else is the server's or a worker's absence. */
function isPassing(error: unknown): error is Error {
  if (error instanceof QueryNotRegisteredError) return true;
  if (!(error instanceof ServiceError)) return false;
  return !isGrpcServiceError(error.cause) || !grpcRefusals.has(error.cause.code);
}

/** gRPC's UNAUTHENTICATED, PERMISSION_DENIED, UNIMPLEMENTED. */
const grpcRefusals = new Set([16, 7, 12]);

/** A run of the workflow `orchestration`. */
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
    return this.#callsIn(await this.#handle.describe());
  }

  /**
   * Looks at the run, from its first event until it has ended. A look in vain is made again; only where nobody
   * answers for a run that has ended, its last events are given up after some looks.
   * Queries, which cost a worker's time, are made only when the history has grown.
   *
   * @param everyMs time between looks, in milliseconds
   * @throws `WorkflowNotFoundError`, and what a look cannot overcome, such as a refused key
   */
  async *watch(everyMs = 250): AsyncGenerator<Look> {
    const { connection } = this.#handle.client;
    let seen = 0;
    let seenLength = -1;
    let inVain = 0;
    let state: OrchestrationState | undefined;
    for (;;) {
      let ended = false;
      const look: Look = { events: [], state, calls: [] };
      try {
        await connection.withDeadline(Date.now() + lookPatience, async () => {
          const description = await this.#handle.describe();
          ended = description.status.name !== 'RUNNING';
          look.calls = this.#callsIn(description);
          if (description.historyLength <= seenLength) return;
          const events = await this.events(seen + 1);
          state = await this.state();
          Object.assign(look, { events, state });
          seen = events.at(-1)?.seq ?? seen;
          seenLength = description.historyLength;
        });
        inVain = 0;
      } catch (error) {
        if (!isPassing(error)) throw error;
        look.trouble = error;
        inVain += 1;
      }
      yield look;
      if (ended && (inVain === 0 || inVain > 2)) return;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  #callsIn({ raw }: WorkflowExecutionDescription): PendingCall[] {
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
