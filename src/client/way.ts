import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Priority } from '@temporalio/common';
import type { RunEvent } from '../protocol/events.ts';
import type { PendingQuestion } from '../protocol/questions.ts';
import type { TurnResult } from '../protocol/session.ts';
import type { State } from '../protocol/state.ts';
import type { InputName } from '../trust/schemas.ts';
import { RunNotOpenError } from './errors.ts';
import type { InboxQuestion } from './inbox.ts';
import type { OrchestrationInput, ResearchInput, SessionInput, SolveInput } from './inputs.ts';
import type { ListedRun, ListOptions } from './list.ts';
import type { RunRecord, RunStatus, ShowOptions } from './show/show.ts';
import type { PendingCall, RunSnapshot } from './snapshot.ts';
import type { StatsOptions } from './stats.ts';
import type { Stats } from './aggregate.ts';
import type { EventCursor, WatchOptions } from './watch.ts';

/** The input of a run of any kind. */
export type RunInput = OrchestrationInput | ResearchInput | SolveInput | SessionInput;

export interface StartOptions {
  /** The workflow's id; a readable one is made when absent. That of an open run is refused with `RunExistsError`. */
  id?: string;
  /**
   * Temporal's: `fairnessKey` names who shares the workers with others, such as a user, `fairnessWeight` how large their share is
   * (1), `priorityKey` from 1 to 5 (3) what goes before all others. When absent, that of the connection.
   */
  priority?: Priority;
  /** Whether the input is signed with the home's secret where it brings more than anybody may; true when absent. */
  sign?: boolean;
  /** What the run's memo is to hold besides, for whoever comes back to it. */
  memo?: Record<string, unknown>;
}

/** The messages that a person sends to a run, by the names of their signals. */
export type MessageName = 'answer' | 'approve' | 'requestRestart' | 'decide' | 'close' | 'stopTurn';

/** What is known of a run without a worker. */
export interface RunDescription {
  id: string;
  /** The workflow type. */
  workflow: string;
  status: RunStatus;
}

/** A way to one run: by Temporal, or by a server over HTTP. What its operations do and throw, `Run` says. */
export interface RunWay {
  readonly id: string;
  describe(): Promise<RunDescription>;
  result(signal?: AbortSignal): Promise<unknown>;
  state(): Promise<State>;
  pendingQuestions(): Promise<PendingQuestion[]>;
  pendingCalls(): Promise<PendingCall[]>;
  events(from: number): Promise<RunEvent[]>;
  cursor(): Promise<EventCursor>;
  watch(options: WatchOptions): AsyncGenerator<RunSnapshot>;
  show(options: ShowOptions): Promise<RunRecord>;
  message(name: MessageName, ...payload: unknown[]): Promise<void>;
  /** Takes a turn of a session, and begins the session where it is not open and the way knows its input. */
  turn(text: string, turnId: string, signal?: AbortSignal): Promise<TurnResult>;
  /** The same, and waits only until the session has taken it. @param signal gives up sending it again */
  begin(text: string, turnId: string, signal?: AbortSignal): Promise<void>;
  cancel(): Promise<void>;
  terminate(reason?: string): Promise<void>;
}

/** A way to all runs. What its operations do and throw, `Reprise` says. */
export interface Runs {
  readonly client: Client;
  start(type: InputName, id: string, input: RunInput, options: StartOptions): Promise<RunWay>;
  startOnce(
    type: InputName,
    id: string,
    input: RunInput,
    options: StartOptions,
  ): Promise<{ way: RunWay; isNew: boolean }>;
  run(id: string): RunWay;
  /** @param input with which it begins where it is not open */
  session(id: string, input: SessionInput, options: StartOptions): RunWay;
  waiting(): Promise<RunWay[]>;
  inbox(onSilent: (workflowId: string, reason: Error) => void): Promise<InboxQuestion[]>;
  list(options: ListOptions): Promise<ListedRun[]>;
  stats(options: StatsOptions): Promise<Stats>;
  close(): Promise<void>;
}

/** The workflow type of a run that still goes on. @throws `RunNotOpenError`, which says whether it is unknown or has ended */
export async function openWorkflow(way: RunWay): Promise<string> {
  const { status, workflow } = await way.describe().catch((error: unknown) => {
    throw error instanceof WorkflowNotFoundError ? new RunNotOpenError(`There is no run of the id ${way.id}`) : error;
  });
  if (isOpen(status)) return workflow;
  throw new RunNotOpenError(`The run ${way.id} has ended (${status.replaceAll('_', ' ')})`);
}

/** Whether a run of this status goes on. One that somebody has paused does, when it is let go on. */
export const isOpen = (status: RunStatus): boolean => status === 'running' || status === 'paused';
