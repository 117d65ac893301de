import { setTimeout as pause } from 'node:timers/promises';
import {
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  WorkflowUpdateStage,
  type WorkflowHandle,
  type WorkflowStartOptions,
  type WorkflowUpdateHandle,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { eventsQuery, handleTextUpdate, pendingQuestionsQuery, stateQuery } from '../../protocol/definitions.ts';
import type { RunEvent } from '../../protocol/events.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import type { TurnResult } from '../../protocol/session.ts';
import type { State } from '../../protocol/state.ts';
import { startPinned } from '../asked-again.ts';
import { grpcErrorIn, MessageRefusedError } from '../errors.ts';
import { firstLine } from '../names.ts';
import { isOpenStatus } from '../../util/run-status.ts';
import { explained, served } from '../pollers.ts';
import { showRun, type RunRecord, type RunStatus, type ShowOptions } from '../show/show.ts';
import { callsIn, isLost, type PendingCall, type RunSnapshot } from '../snapshot.ts';
import { watchRun, type EventCursor, type WatchOptions } from '../watch.ts';
import { openWorkflow, type MessageName, type RunDescription } from '../way.ts';

const accepted = { waitForStage: WorkflowUpdateStage.ACCEPTED } as const;

/** A way to one run: by Temporal, or by a server over HTTP (`http/runs.ts`). What its operations do and throw, `Run` says. */
export type RunWay = Pick<TemporalRun, keyof TemporalRun>;

export class TemporalRun {
  readonly #handle: WorkflowHandle;
  /** How to start a session with its first turn; undefined once the session is known to have begun. */
  #start: (() => Promise<WorkflowStartOptions>) | undefined;
  /** The last turn until it was taken. Requests that are under way at once may arrive in any order. */
  #sending: Promise<unknown> = Promise.resolve();

  constructor(handle: WorkflowHandle, start?: () => Promise<WorkflowStartOptions>) {
    this.#handle = handle;
    this.#start = start;
  }

  get id(): string {
    return this.#handle.workflowId;
  }

  async describe(): Promise<RunDescription> {
    const { status, type } = await this.#handle.describe();
    return { id: this.id, workflow: type, status: status.name.toLowerCase() as RunStatus };
  }

  async result(signal?: AbortSignal): Promise<unknown> {
    try {
      return await served(this.#handle, () => this.#handle.result(), { needsTask: true, ...(signal && { signal }) });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  async state(): Promise<State> {
    return served(this.#handle, () => this.#handle.query(stateQuery));
  }

  async pendingQuestions(): Promise<PendingQuestion[]> {
    return served(this.#handle, () => this.#handle.query(pendingQuestionsQuery));
  }

  async pendingCalls(): Promise<PendingCall[]> {
    const description = await this.#handle.describe();
    // A run that was terminated has left them behind.
    if (!isOpenStatus(description.status.name)) return [];
    return callsIn(description, this.#handle.client.options.loadedDataConverter);
  }

  async events(from: number): Promise<RunEvent[]> {
    return served(this.#handle, () => this.#handle.query(eventsQuery, from));
  }

  async cursor(): Promise<EventCursor> {
    const { runId } = await this.#handle.describe();
    const handle = this.#handle.client.getHandle(this.id, runId);
    const events = await served(handle, () => handle.query(eventsQuery));
    return { runId, seq: events.at(-1)?.seq ?? 0 };
  }

  watch(options: WatchOptions): AsyncGenerator<RunSnapshot> {
    return watchRun(this.#handle, options);
  }

  async show(options: ShowOptions): Promise<RunRecord> {
    return showRun(this.#handle, options);
  }

  async cancel(): Promise<void> {
    // The server takes a request to cancel what has ended, and does nothing.
    await openWorkflow(this);
    await this.#ifOpen(() => this.#handle.cancel());
  }

  async terminate(reason?: string): Promise<void> {
    await this.#ifOpen(() => this.#handle.terminate(reason));
  }

  /** Sends a signal. To a run that has had as many as Temporal takes, it sends the update of the same name. */
  async message(name: MessageName, ...payload: unknown[]): Promise<void> {
    await this.#ifOpen(async () => {
      try {
        await this.#handle.signal(name, ...payload);
      } catch (error) {
        if (!isFullOfSignals(error)) throw error;
        await this.#update(name, payload);
      }
    });
  }

  /** Takes a turn of a session, and begins the session where it is not open and its input is known. */
  async turn(text: string, turnId: string, signal: AbortSignal = new AbortController().signal): Promise<TurnResult> {
    return this.#orWhyEnded(async () => {
      const turn = await this.#accepted(text, turnId, signal);
      // The SDK does not notice a signal that was aborted before.
      signal.throwIfAborted();
      const { connection } = this.#handle.client;
      try {
        return await untilReached(() => connection.withAbortSignal(signal, () => turn.result()), signal);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      }
    });
  }

  /** The same, and waits only until the session has taken it. @param signal gives up sending it again */
  async begin(text: string, turnId: string, signal?: AbortSignal): Promise<void> {
    await this.#orWhyEnded(() => this.#accepted(text, turnId, signal));
  }

  async #accepted(text: string, turnId: string, signal?: AbortSignal): Promise<WorkflowUpdateHandle<TurnResult>> {
    const begin = async (): Promise<WorkflowUpdateHandle<TurnResult>> => {
      signal?.throwIfAborted();
      const turn = await startPinned(() => untilReached(() => this.#begin(text, turnId), signal));
      this.#start = undefined;
      return turn;
    };
    const turn = this.#sending.then(begin);
    this.#sending = turn.catch(() => {});
    return turn;
  }

  async #orWhyEnded<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError || isCutOff(error)) return await this.#throwWhyEnded(error);
      throw await explained(this.#handle, error);
    }
  }

  async #begin(text: string, updateId: string): Promise<WorkflowUpdateHandle<TurnResult>> {
    const turn = { ...accepted, updateId, args: [text] as [string] };
    if (this.#start === undefined) return this.#handle.startUpdate(handleTextUpdate, turn);
    const startWorkflowOperation = new WithStartWorkflowOperation('session', {
      ...(await this.#start()),
      staticSummary: firstLine(text),
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    return this.#handle.client.startUpdateWithStart(handleTextUpdate, { ...turn, startWorkflowOperation });
  }

  /** Throws the reason for which the session ended, which its result has where it was refused or failed. @throws always */
  async #throwWhyEnded(error: unknown): Promise<never> {
    await this.#handle.result();
    await openWorkflow(this);
    throw error;
  }

  async #update(name: string, args: unknown[]): Promise<void> {
    try {
      await this.#handle.executeUpdate(name, { args: args as [unknown] });
    } catch (error) {
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      throw new MessageRefusedError(this.id, error.cause?.message ?? error.message);
    }
  }

  async #ifOpen(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) await openWorkflow(this);
      throw error;
    }
  }
}

/** Whether the server takes no more signals for a run, of which it counts 10,000. It has no error class for that. */
const isFullOfSignals = (error: unknown): boolean =>
  grpcErrorIn(error)?.details.includes('execution limit for signal events') ?? false;

const isCutOff = (error: unknown): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === 'AcceptedUpdateCompletedWorkflow';

/** Makes a request again until the server has answered it, or nobody waits for that any more. */
async function untilReached<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (signal?.aborted) throw error;
      if (!isLost(error) && !(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) throw error;
    }
    await pause(1000);
  }
}
