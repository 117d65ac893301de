import {
  WorkflowNotFoundError,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
} from '@temporalio/client';
import { answerRoom, type HumanReply, type PendingQuestion } from '../protocol/questions.ts';
import type { RunEvent } from '../protocol/events.ts';
import type { Place } from './chain.ts';
import { AnswerTooLong, NoOpenRun } from './failures.ts';
import { callsIn, type Look, type PendingCall, type RunState } from './look.ts';
import { watchRun, type WatchOptions } from './watch.ts';

/** What runs of every workflow type have. */
export class Run<State extends RunState = RunState, Result = unknown> {
  protected readonly handle: WorkflowHandle;

  constructor(handle: WorkflowHandle) {
    this.handle = handle;
  }

  get id(): string {
    return this.handle.workflowId;
  }

  /** Waits for the end. @throws `WorkflowFailedError` */
  async result(): Promise<Result> {
    return (await this.handle.result()) as Result;
  }

  /**
   * Answers a question as a person; an empty answer skips it. Without `questionId` it is for the question that waits
   * when the answer arrives, which may be another one than the person has read.
   *
   * @throws `AnswerTooLong`, before anything is sent; `NoOpenRun` where the run is unknown or has ended
   */
  async answer(reply: HumanReply): Promise<void> {
    if (reply.answer.length > answerRoom) throw new AnswerTooLong(reply.answer.length);
    await this.signalOpen('answer', reply);
  }

  /** The questions that wait for a person. */
  async pendingQuestions(): Promise<PendingQuestion[]> {
    return this.handle.query<PendingQuestion[]>('pendingQuestions');
  }

  /**
   * What has happened, from a sequence number on. Where a run has continued as new, only what the last one of the
   * chain has; `watch` follows the chain.
   */
  async events(from = 1): Promise<RunEvent[]> {
    return this.handle.query<RunEvent[], [number]>('events', from);
  }

  /** How far its events have come, for a later `watch`. @throws `WorkflowNotFoundError` */
  async place(): Promise<Place> {
    const { runId } = await this.handle.describe();
    const events = await this.handle.client.getHandle(this.id, runId).query<RunEvent[]>('events');
    return { runId, seq: events.at(-1)?.seq ?? 0 };
  }

  async state(): Promise<State> {
    return this.handle.query<State>('state');
  }

  /** Whether the run still goes on. @throws `WorkflowNotFoundError` */
  async isOpen(): Promise<boolean> {
    return (await this.handle.describe()).status.name === 'RUNNING';
  }

  /** @throws `NoOpenRun`, which says whether the run is unknown or has ended */
  async assertOpen(): Promise<void> {
    await this.openType();
  }

  /** The workflow type of a run that still goes on. @throws `NoOpenRun` */
  async openType(): Promise<string> {
    const { status, type } = await this.#describe();
    if (status.name === 'RUNNING') return type;
    throw new NoOpenRun(`The run ${this.id} has ended (${status.name.toLowerCase().replaceAll('_', ' ')})`);
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
  watch(options: WatchOptions = {}): AsyncGenerator<Look<State>> {
    return watchRun<State>(this.handle, options);
  }

  async #describe(): Promise<WorkflowExecutionDescription> {
    try {
      return await this.handle.describe();
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      throw new NoOpenRun(`There is no run of the id ${this.id}`);
    }
  }

  /** Sends a signal. @throws `NoOpenRun` */
  protected async signalOpen(name: string, ...payload: unknown[]): Promise<void> {
    try {
      await this.handle.signal(name, ...payload);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) await this.assertOpen();
      throw error;
    }
  }
}
