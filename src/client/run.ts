import { randomUUID } from 'node:crypto';
import type { RunEvent } from '../protocol/events.ts';
import type { ToolDecision } from '../protocol/tools/permissions.ts';
import type { OrchestrationResult } from '../protocol/orchestration.ts';
import type { SolveResult, SolveState } from '../protocol/plan-and-execute.ts';
import { maxAnswerChars, type HumanReply, type PendingQuestion } from '../protocol/questions.ts';
import type { OperatorDecision, ResearchResult, ResearchState } from '../protocol/research.ts';
import type { SessionResult, TurnResult } from '../protocol/session.ts';
import type { OrchestrationState, RunResult, SessionState, State } from '../protocol/state.ts';
import { inputProblem } from '../workflows/runtime/size.ts';
import { AnswerTooLongError, InputTooLargeError, RunNotOpenError } from './errors.ts';
import type { RunRecord, ShowOptions } from './show/show.ts';
import type { PendingCall, RunSnapshot } from './snapshot.ts';
import type { EventCursor, WatchOptions } from './watch.ts';
import type { RunWay } from './temporal/run.ts';
import { isOpen, openWorkflow, type RunDescription } from './way.ts';

/** A run of any workflow type. */
export class Run<S extends State = State, R extends RunResult = RunResult> {
  protected readonly way: RunWay;

  constructor(way: RunWay) {
    this.way = way;
  }

  get id(): string {
    return this.way.id;
  }

  /**
   * Waits for the end.
   *
   * @param signal stops the waiting, which then throws; the run goes on
   * @throws `WorkflowFailedError`; `UnservedError` where the run waits for a worker when this is called, and within
   *   five seconds there is none that goes on with it; the run goes on, and may be waited for again
   */
  async result(signal?: AbortSignal): Promise<R> {
    return (await this.way.result(signal)) as R;
  }

  /**
   * Answers a question as a person; an empty answer skips it. Without `questionId` it is for the question that waits
   * when the answer arrives, which may be another one than the person has read.
   *
   * @throws `AnswerTooLongError`, before anything is sent; `RunNotOpenError` where the run is unknown or has ended
   */
  async answer(reply: HumanReply): Promise<void> {
    if (reply.answer.length > maxAnswerChars) throw new AnswerTooLongError(reply.answer.length);
    await this.way.message('answer', reply);
  }

  /**
   * Decides as a person about a tool call that waits for approval: a `pendingQuestions` entry of the kind `tool`. One about a
   * call that waits no longer is ignored.
   *
   * @throws `RunNotOpenError`
   */
  async approve(decision: ToolDecision): Promise<void> {
    await this.way.message('approve', decision);
  }

  /** What waits for a person: questions, approvals of research, tool calls that need leave, missing keys. */
  async pendingQuestions(): Promise<PendingQuestion[]> {
    return this.way.pendingQuestions();
  }

  /**
   * The events of the run, from a sequence number on. Where the run has continued as new, only those of the last run of
   * the chain are returned; `watch` returns those of the whole chain.
   */
  async events(from = 1): Promise<RunEvent[]> {
    return this.way.events(from);
  }

  /** The place after the last event so far, from which a later `watch` may go on. @throws `WorkflowNotFoundError` */
  async cursor(): Promise<EventCursor> {
    return this.way.cursor();
  }

  /** The run at a glance. @throws `UnservedError` where no worker is there to tell it */
  async state(): Promise<S> {
    return (await this.way.state()) as S;
  }

  /** Whether the run still goes on, or would if it were not paused. @throws `WorkflowNotFoundError` */
  async isOpen(): Promise<boolean> {
    return isOpen((await this.way.describe()).status);
  }

  /** Makes sure that the run still goes on. @throws `RunNotOpenError`, which says whether it is unknown or has ended */
  async assertOpen(): Promise<void> {
    await this.openType();
  }

  /** The workflow type of a run that still goes on. @throws `RunNotOpenError` */
  async openType(): Promise<string> {
    return openWorkflow(this.way);
  }

  /** The workflow type and the status of the run, without asking a worker. @throws `WorkflowNotFoundError` */
  async describe(): Promise<RunDescription> {
    return this.way.describe();
  }

  /** The calls under way, with the texts in progress that their heartbeats carry. */
  async pendingCalls(): Promise<PendingCall[]> {
    return this.way.pendingCalls();
  }

  /**
   * Yields snapshots of the run, from its first event until it has ended, through all runs that it continues as. Where the
   * server or a worker is away, it tries again; only the last events of a run that has ended are given up, after three
   * attempts.
   *
   * @throws `WorkflowNotFoundError`, and errors that no further attempt would overcome, such as a refused key
   */
  watch(options: WatchOptions = {}): AsyncGenerator<RunSnapshot<S>> {
    return this.way.watch(options) as AsyncGenerator<RunSnapshot<S>>;
  }

  /**
   * Everything that the run has done, with its texts: answers, votes, judgements, questions, calls of tools, and what it has
   * cost. It is read from the history, so that no worker is needed.
   *
   * @throws `WorkflowNotFoundError`
   */
  async show(options: ShowOptions = {}): Promise<RunRecord> {
    return this.way.show(options);
  }

  /**
   * Asks the run to end. Its calls in flight are given up, and `result` resolves with the best answer so far and the outcome
   * `cancelled`. A second request has no effect.
   *
   * @throws `RunNotOpenError`
   */
  async cancel(): Promise<void> {
    await this.way.cancel();
  }

  /** Ends the run at once, without letting it do anything more. @throws `RunNotOpenError` */
  async terminate(reason?: string): Promise<void> {
    await this.way.terminate(reason);
  }

  /** `await using`: cancels the run where it still goes on, and does not wait for its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.cancel();
    } catch (error) {
      if (!(error instanceof RunNotOpenError)) throw error;
    }
  }
}

/** A run of a workflow that has restarts. */
class RestartableRun<S extends State, R extends RunResult> extends Run<S, R> {
  /**
   * Asks for a restart as a person. It counts toward the limit, and is refused once the limit is reached.
   *
   * @throws `RunNotOpenError`
   */
  async requestRestart(reason: string, instructions: string): Promise<void> {
    await this.way.message('requestRestart', { reason, instructions });
  }
}

/** A run of the workflow `orchestration`. */
export class OrchestrationRun extends RestartableRun<OrchestrationState, OrchestrationResult> {}

/** A run of the workflow `research`. */
export class ResearchRun extends RestartableRun<ResearchState, ResearchResult> {
  /** Ends the loop as a person, by going on to the synthesis or by stopping without a further model call. @throws `RunNotOpenError` */
  async decide(decision: OperatorDecision): Promise<void> {
    await this.way.message('decide', decision);
  }
}

/** A run of the workflow `planAndExecute`. */
export class SolveRun extends Run<SolveState, SolveResult> {}

/** A run of the workflow `session`: a conversation, one turn at a time. */
export class SessionRun extends Run<SessionState, SessionResult> {
  /**
   * Takes one turn, and waits for its end. While the server is away, the request is sent again; it carries an id, so that
   * it makes one turn however often it arrives. Turns of several senders are taken in the order of arrival.
   *
   * @param turnId an id by which the same request, sent again from anywhere, is the same turn; a new one when absent
   * @param signal stops the waiting for the turn's end, which then throws; the turn goes on
   * @throws `WorkflowUpdateFailedError` where the turn failed, `WorkflowFailedError` where the session did with it;
   *   `RunNotOpenError` where the session has ended; `InputTooLargeError` before anything is sent
   */
  async send(text: string, turnId: string = randomUUID(), signal?: AbortSignal): Promise<TurnResult> {
    assertFits(text);
    return this.way.turn(text, turnId, signal);
  }

  /**
   * Sends a turn as `send` does, and waits only until the session has taken it.
   *
   * @param signal gives up sending it again
   */
  async begin(text: string, turnId: string, signal?: AbortSignal): Promise<void> {
    assertFits(text);
    await this.way.begin(text, turnId, signal);
  }

  /** Ends the turn under way with what there is; `send` then returns that. The session goes on. @throws `RunNotOpenError` */
  async stopTurn(): Promise<void> {
    await this.way.message('stopTurn');
  }

  /** Ends the session after the turns that were sent so far. @throws `RunNotOpenError` */
  async close(): Promise<void> {
    await this.way.message('close');
  }
}

/** @throws `InputTooLargeError` */
function assertFits(text: string): void {
  const problem = inputProblem({ text });
  if (problem !== undefined) throw new InputTooLargeError(problem);
}
