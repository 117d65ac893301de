import {
  isGrpcServiceError,
  ServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import {
  answerSignal,
  approveSignal,
  decideSignal,
  eventsQuery,
  pendingQuestionsQuery,
  requestRestartSignal,
  stateQuery,
} from '../protocol/definitions.ts';
import type { RunEvent } from '../protocol/events.ts';
import type { ToolDecision } from '../protocol/tools/permissions.ts';
import type { OrchestrationResult } from '../protocol/orchestration.ts';
import type { SolveResult, SolveState } from '../protocol/plan-and-execute.ts';
import { answerRoom, type HumanReply, type PendingQuestion } from '../protocol/questions.ts';
import type { OperatorDecision, ResearchResult, ResearchState } from '../protocol/research.ts';
import type { OrchestrationState, RunResult, State } from '../protocol/state.ts';
import { AnswerTooLongError, MessageRefusedError, RunNotOpenError } from './errors.ts';
import { served } from './pollers.ts';
import { showRun, type RunRecord, type ShowOptions } from './show/show.ts';
import { callsIn, type PendingCall, type RunSnapshot } from './snapshot.ts';
import { watchRun, type EventCursor, type WatchOptions } from './watch.ts';
import { isOpenStatus } from '../util/run-status.ts';

/** A run of any workflow type. */
export class Run<S extends State = State, R extends RunResult = RunResult> {
  protected readonly handle: WorkflowHandle;

  constructor(handle: WorkflowHandle) {
    this.handle = handle;
  }

  get id(): string {
    return this.handle.workflowId;
  }

  /**
   * Waits for the end.
   *
   * @throws `WorkflowFailedError`; `NobodyPollsError` where the run waits for a worker when this is called, and none
   *   polls its queue within five seconds; the run goes on, and may be waited for again
   */
  async result(): Promise<R> {
    return (await served(this.handle, () => this.handle.result(), true)) as R;
  }

  /**
   * Answers a question as a person; an empty answer skips it. Without `questionId` it is for the question that waits
   * when the answer arrives, which may be another one than the person has read.
   *
   * @throws `AnswerTooLongError`, before anything is sent; `RunNotOpenError` where the run is unknown or has ended
   */
  async answer(reply: HumanReply): Promise<void> {
    if (reply.answer.length > answerRoom) throw new AnswerTooLongError(reply.answer.length);
    await this.signalOpen(answerSignal, reply);
  }

  /**
   * Decides as a person about a tool call that waits for leave: a `pendingQuestions` entry of the kind `tool`. One about a
   * call that waits no longer is ignored.
   *
   * @throws `RunNotOpenError`
   */
  async approve(decision: ToolDecision): Promise<void> {
    await this.signalOpen(approveSignal, decision);
  }

  /** What waits for a person: questions, approvals of research, tool calls that need leave, missing keys. */
  async pendingQuestions(): Promise<PendingQuestion[]> {
    return this.handle.query(pendingQuestionsQuery);
  }

  /**
   * The events of the run, from a sequence number on. Where the run has continued as new, only those of the last run of
   * the chain are returned; `watch` returns those of the whole chain.
   */
  async events(from = 1): Promise<RunEvent[]> {
    return this.handle.query(eventsQuery, from);
  }

  /** The place after the last event so far, from which a later `watch` may go on. @throws `WorkflowNotFoundError` */
  async cursor(): Promise<EventCursor> {
    const { runId } = await this.handle.describe();
    const events = await this.handle.client.getHandle(this.id, runId).query(eventsQuery);
    return { runId, seq: events.at(-1)?.seq ?? 0 };
  }

  /** The run at a glance. @throws `NobodyPollsError` where no worker is there to tell it */
  async state(): Promise<S> {
    return (await served(this.handle, () => this.handle.query(stateQuery))) as S;
  }

  /** Whether the run still goes on, or would if it were not paused. @throws `WorkflowNotFoundError` */
  async isOpen(): Promise<boolean> {
    return isOpenStatus((await this.handle.describe()).status.name);
  }

  /** Makes sure that the run still goes on. @throws `RunNotOpenError`, which says whether it is unknown or has ended */
  async assertOpen(): Promise<void> {
    await this.openType();
  }

  /** The workflow type of a run that still goes on. @throws `RunNotOpenError` */
  async openType(): Promise<string> {
    const { status, type } = await this.handle.describe().catch((error: unknown) => {
      throw error instanceof WorkflowNotFoundError
        ? new RunNotOpenError(`There is no run of the id ${this.id}`)
        : error;
    });
    if (isOpenStatus(status.name)) return type;
    const how = status.name.toLowerCase().replaceAll('_', ' ');
    throw new RunNotOpenError(`The run ${this.id} has ended (${how})`);
  }

  /** The calls under way, with the texts in progress that their heartbeats carry. */
  async pendingCalls(): Promise<PendingCall[]> {
    return callsIn(await this.handle.describe(), this.handle.client.options.loadedDataConverter);
  }

  /**
   * Yields snapshots of the run, from its first event until it has ended, through all runs that it continues as. Where the
   * server or a worker is away, it tries again; only the last events of a run that has ended are given up, after three
   * attempts.
   *
   * @throws `WorkflowNotFoundError`, and errors that no further attempt would overcome, such as a refused key
   */
  watch(options: WatchOptions = {}): AsyncGenerator<RunSnapshot<S>> {
    return watchRun<S>(this.handle, options);
  }

  /**
   * Everything that the run has done, with its texts: answers, votes, judgements, questions, calls of tools, and what it has
   * cost. It is read from the history, so that no worker is needed.
   *
   * @throws `WorkflowNotFoundError`
   */
  async show(options: ShowOptions = {}): Promise<RunRecord> {
    return showRun(this.handle, options);
  }

  /**
   * Asks the run to end. Its calls in flight are given up, and `result` resolves with the best answer so far and the outcome
   * `cancelled`. A second request has no effect.
   *
   * @throws `RunNotOpenError`
   */
  async cancel(): Promise<void> {
    // The server takes a request to cancel what has ended, and does nothing.
    await this.assertOpen();
    await this.#ifOpen(() => this.handle.cancel());
  }

  /** Ends the run at once, without letting it do anything more. @throws `RunNotOpenError` */
  async terminate(reason?: string): Promise<void> {
    await this.#ifOpen(() => this.handle.terminate(reason));
  }

  /** `await using`: cancels the run where it still goes on, and does not wait for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.cancel();
    } catch (error) {
      if (!(error instanceof RunNotOpenError)) throw error;
    }
  }

  /**
   * Sends a signal. To a run that has had as many as Temporal takes, it sends the update of the same name.
   *
   * @throws `RunNotOpenError`; `MessageRefusedError` where the update would have no effect
   */
  protected async signalOpen<Args extends unknown[]>(signal: SignalDefinition<Args>, ...payload: Args): Promise<void> {
    await this.#ifOpen(async () => {
      try {
        await this.handle.signal(signal, ...payload);
      } catch (error) {
        if (!isFullOfSignals(error)) throw error;
        await this.#update(signal.name, payload);
      }
    });
  }

  async #update(name: string, args: unknown[]): Promise<void> {
    const update = { type: 'update', name } as UpdateDefinition<void, [unknown]>;
    try {
      await this.handle.executeUpdate(update, { args: args as [unknown] });
    } catch (error) {
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      throw new MessageRefusedError(this.id, error.cause?.message ?? error.message);
    }
  }

  async #ifOpen(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) await this.assertOpen();
      throw error;
    }
  }
}

/** Whether the server takes no more signals for a run, of which it counts 10,000. It has no error class for that. */
function isFullOfSignals(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) && cause.details.includes('execution limit for signal events');
}

/** A run of a workflow that has restarts. */
class RestartableRun<S extends State, R extends RunResult> extends Run<S, R> {
  /**
   * Asks for a restart as a person. It counts toward the limit, and is refused once the limit is reached.
   *
   * @throws `RunNotOpenError`
   */
  async requestRestart(reason: string, instructions: string): Promise<void> {
    await this.signalOpen(requestRestartSignal, { reason, instructions });
  }
}

/** A run of the workflow `orchestration`. */
export class OrchestrationRun extends RestartableRun<OrchestrationState, OrchestrationResult> {}

/** A run of the workflow `research`. */
export class ResearchRun extends RestartableRun<ResearchState, ResearchResult> {
  /** Ends the loop as a person, by going on to the synthesis or by stopping without a further model call. @throws `RunNotOpenError` */
  async decide(decision: OperatorDecision): Promise<void> {
    await this.signalOpen(decideSignal, decision);
  }
}

/** A run of the workflow `planAndExecute`. */
export class SolveRun extends Run<SolveState, SolveResult> {}
