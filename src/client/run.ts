import { WorkflowNotFoundError, type WorkflowExecutionDescription, type WorkflowHandle } from '@temporalio/client';
import type { SignalDefinition } from '@temporalio/common';
import {
  answerSignal,
  decideSignal,
  eventsQuery,
  pendingQuestionsQuery,
  requestRestartSignal,
  stateQuery,
} from '../protocol/definitions.ts';
import type { RunEvent } from '../protocol/events.ts';
import type { OrchestrationResult } from '../protocol/orchestration.ts';
import type { SolveResult, SolveState } from '../protocol/plan-and-execute.ts';
import { answerRoom, type HumanReply, type PendingQuestion } from '../protocol/questions.ts';
import type { OperatorDecision, ResearchResult, ResearchState } from '../protocol/research.ts';
import type { SessionResult } from '../protocol/session.ts';
import type { OrchestrationState, State } from '../protocol/state.ts';
import { AnswerTooLongError, RunNotOpenError } from './errors.ts';
import { callsIn, type PendingCall, type RunSnapshot } from './snapshot.ts';
import { watchRun, type EventCursor, type WatchOptions } from './watch.ts';

/** The result of a run of any workflow type, told apart by `workflow`. */
export type RunResult = OrchestrationResult | ResearchResult | SessionResult | SolveResult;

/** What runs of every workflow type have. */
export class Run<S extends State = State, R extends RunResult = RunResult> {
  protected readonly handle: WorkflowHandle;

  constructor(handle: WorkflowHandle) {
    this.handle = handle;
  }

  get id(): string {
    return this.handle.workflowId;
  }

  /** Waits for the end. @throws `WorkflowFailedError` */
  async result(): Promise<R> {
    return (await this.handle.result()) as R;
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

  /** The questions that wait for a person. */
  async pendingQuestions(): Promise<PendingQuestion[]> {
    return this.handle.query(pendingQuestionsQuery);
  }

  /**
   * What has happened, from a sequence number on. Where a run has continued as new, only what the last one of the
   * chain has; `watch` follows the chain.
   */
  async events(from = 1): Promise<RunEvent[]> {
    return this.handle.query(eventsQuery, from);
  }

  /** How far its events have come, for a later `watch`. @throws `WorkflowNotFoundError` */
  async cursor(): Promise<EventCursor> {
    const { runId } = await this.handle.describe();
    const events = await this.handle.client.getHandle(this.id, runId).query(eventsQuery);
    return { runId, seq: events.at(-1)?.seq ?? 0 };
  }

  async state(): Promise<S> {
    return (await this.handle.query(stateQuery)) as S;
  }

  /** Whether the run still goes on. @throws `WorkflowNotFoundError` */
  async isOpen(): Promise<boolean> {
    return (await this.handle.describe()).status.name === 'RUNNING';
  }

  /** @throws `RunNotOpenError`, which says whether the run is unknown or has ended */
  async assertOpen(): Promise<void> {
    await this.openType();
  }

  /** The workflow type of a run that still goes on. @throws `RunNotOpenError` */
  async openType(): Promise<string> {
    const { status, type } = await this.#describe();
    if (status.name === 'RUNNING') return type;
    const how = status.name.toLowerCase().replaceAll('_', ' ');
    throw new RunNotOpenError(`The run ${this.id} has ended (${how})`);
  }

  /** The calls under way, with the texts in progress that their heartbeats carry. */
  async pendingCalls(): Promise<PendingCall[]> {
    const { payloadConverter } = this.handle.client.options.loadedDataConverter;
    return callsIn(await this.handle.describe(), payloadConverter);
  }

  /**
   * Looks at the run, from its first event until it has ended, through all runs that it continues as. A look in vain is
   * made again; only where nobody answers for a run that has ended, its last events are given up after some looks.
   *
   * @throws `WorkflowNotFoundError`, and what a look cannot overcome, such as a refused key
   */
  watch(options: WatchOptions = {}): AsyncGenerator<RunSnapshot<S>> {
    return watchRun<S>(this.handle, options);
  }

  /** Has Temporal cancel the run: its calls in flight are given up, and `result` throws. @throws `RunNotOpenError` */
  async cancel(): Promise<void> {
    // The server takes a request to cancel what has ended, and does nothing.
    await this.assertOpen();
    await this.#ifOpen(() => this.handle.cancel());
  }

  /** Ends the run at once, whatever it is doing; nothing of it runs any more. @throws `RunNotOpenError` */
  async terminate(reason?: string): Promise<void> {
    await this.#ifOpen(() => this.handle.terminate(reason));
  }

  /** `await using`: cancels the run where it still goes on. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.cancel();
    } catch (error) {
      if (!(error instanceof RunNotOpenError)) throw error;
    }
  }

  /** Sends a signal. @throws `RunNotOpenError` */
  protected async signalOpen<Args extends unknown[]>(signal: SignalDefinition<Args>, ...payload: Args): Promise<void> {
    await this.#ifOpen(() => this.handle.signal(signal, ...payload));
  }

  async #ifOpen(act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) await this.assertOpen();
      throw error;
    }
  }

  async #describe(): Promise<WorkflowExecutionDescription> {
    try {
      return await this.handle.describe();
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      throw new RunNotOpenError(`There is no run of the id ${this.id}`);
    }
  }
}

/** A run of a workflow that a person may have started over. */
class RestartableRun<S extends State, R extends RunResult> extends Run<S, R> {
  /**
   * Asks for a restart as a person: it counts toward the limit, and is refused at it.
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
  /** Ends the loop as a person: on to the synthesis, or no further model call. @throws `RunNotOpenError` */
  async decide(decision: OperatorDecision): Promise<void> {
    await this.signalOpen(decideSignal, decision);
  }
}

/** A run of the workflow `planAndExecute`. */
export class SolveRun extends Run<SolveState, SolveResult> {}
