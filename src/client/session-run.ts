import { randomUUID } from 'node:crypto';
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
import type { SessionResult, TurnResult } from '../protocol/session.ts';
import { closeSignal, handleTextUpdate, stopTurnSignal } from '../protocol/definitions.ts';
import type { SessionState } from '../protocol/state.ts';
import { inputProblem } from '../workflows/runtime/size.ts';
import { InputTooLargeError } from './errors.ts';
import { isLost } from './snapshot.ts';
import { firstLine } from './names.ts';
import { Run } from './run.ts';

const accepted = { waitForStage: WorkflowUpdateStage.ACCEPTED } as const;

const retryEveryMs = 1000;

/** A run of the workflow `session`: a conversation, one turn at a time. */
export class SessionRun extends Run<SessionState, SessionResult> {
  /** How to start the session with its first turn; undefined once the session is known to have begun. */
  #start: WorkflowStartOptions | undefined;

  /** @param start how to start the session with the first turn, where it is not open already */
  constructor(handle: WorkflowHandle, start?: WorkflowStartOptions) {
    super(handle);
    this.#start = start;
  }

  /**
   * Takes one turn, and waits for its end. While the server is away, the request is sent again; it carries an id, so that
   * it makes one turn however often it arrives. Turns of several senders are taken in the order of arrival.
   *
   * @param turnId an id by which the same request, sent again from anywhere, is the same turn; a new one when absent
   * @throws `WorkflowUpdateFailedError` where the turn failed, `WorkflowFailedError` where the session did with it;
   *   `RunNotOpenError` where the session has ended; `InputTooLargeError` before anything is sent
   */
  async send(text: string, turnId: string = randomUUID()): Promise<TurnResult> {
    return this.#orWhyEnded(async () => {
      const turn = await this.#accepted(text, turnId);
      return untilReached(() => turn.result());
    });
  }

  /**
   * Sends a turn as `send` does, and waits only until the session has taken it.
   *
   * @param signal gives up sending it again
   */
  async begin(text: string, turnId: string, signal?: AbortSignal): Promise<void> {
    await this.#orWhyEnded(() => this.#accepted(text, turnId, signal));
  }

  async #accepted(text: string, turnId: string, signal?: AbortSignal): Promise<WorkflowUpdateHandle<TurnResult>> {
    const problem = inputProblem({ text });
    if (problem !== undefined) throw new InputTooLargeError(problem);
    const turn = await startPinned(() => untilReached(() => this.#begin(text, turnId), signal));
    this.#start = undefined;
    return turn;
  }

  async #orWhyEnded<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError) && !isCutOff(error)) throw error;
      return await this.#throwWhyEnded(error);
    }
  }

  /** Ends the turn under way with what there is; `send` then returns that. The session goes on. @throws `RunNotOpenError` */
  async stopTurn(): Promise<void> {
    await this.signalOpen(stopTurnSignal);
  }

  /** Ends the session after the turns that were sent so far. @throws `RunNotOpenError` */
  async close(): Promise<void> {
    await this.signalOpen(closeSignal);
  }

  #begin(text: string, updateId: string): Promise<WorkflowUpdateHandle<TurnResult>> {
    const turn = { ...accepted, updateId, args: [text] as [string] };
    if (this.#start === undefined) return this.handle.startUpdate(handleTextUpdate, turn);
    const startWorkflowOperation = new WithStartWorkflowOperation('session', {
      ...this.#start,
      staticSummary: firstLine(text),
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
    return this.handle.client.startUpdateWithStart(handleTextUpdate, { ...turn, startWorkflowOperation });
  }

  /** Throws the reason for which the session ended, which its result has where it was refused or failed. @throws always */
  async #throwWhyEnded(error: unknown): Promise<never> {
    await this.handle.result();
    await this.assertOpen();
    throw error;
  }
}

/** Whether the session ended before the turn did. */
const isCutOff = (error: unknown): boolean =>
  error instanceof WorkflowUpdateFailedError &&
  error.cause instanceof ApplicationFailure &&
  error.cause.type === 'AcceptedUpdateCompletedWorkflow';

/** Makes a request again until the server has answered it, or a signal gives it up. */
async function untilReached<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLost(error) && !(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) throw error;
      signal?.throwIfAborted();
    }
    await new Promise((resolve) => setTimeout(resolve, retryEveryMs));
  }
}

/** How long Temporal may need until all its parts know a version of workers that one part knows, in milliseconds. */
const patienceMs = 30_000;

const askEveryMs = 100;

/** gRPC's FAILED_PRECONDITION. */
const failedPrecondition = 9;

const unheardOf = 'is not present in task queue';

/**
 * Starts a run that may be pinned to a version of workers. Where a worker has registered a moment ago, the part of Temporal that
 * checks the pin may not have heard of its version yet, and refuses the start; then it is asked again.
 */
export async function startPinned<T>(start: () => Promise<T>): Promise<T> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (!isUnheardOf(error) || performance.now() > until) throw error;
    }
    await pause(askEveryMs);
  }
}

function isUnheardOf(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // Of a start with an update, the message has what the details have otherwise.
  const { cause, code, details = '', message } = error as Error & { code?: number; details?: string };
  return (code === failedPrecondition && `${message} ${details}`.includes(unheardOf)) || isUnheardOf(cause);
}
