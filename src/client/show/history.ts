import type { WorkflowClient, WorkflowHandle } from '@temporalio/client';
import type { PayloadConverter } from '@temporalio/common';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import { handleTextUpdate } from '../../protocol/definitions.ts';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
type HistoryEvent = NonNullable<History['events']>[number];
type Payloads = Parameters<PayloadConverter['fromPayload']>[0][] | null | undefined;

/** What a run has done, as its history records it. `at`: an ISO 8601 time. `turn`: of a session, from 1; else 0. */
export type HistoryRecord = { at: string; turn: number } & RecordBody;

type RecordBody =
  | ActivityRecord
  | { kind: 'signal'; name: string; input: unknown }
  | { kind: 'turn'; text: string }
  | { kind: 'turn_ended'; result?: unknown; failure?: string };

/** An activity that has ended, or is under way where it has neither a result nor a failure. */
export interface ActivityRecord {
  kind: 'activity';
  type: string;
  /** Its summary in the Web UI; empty for one without. */
  summary: string;
  input: unknown;
  since: string;
  result?: unknown;
  /** Why it has failed; `cancelled` where it was cancelled. */
  failure?: string;
}

export interface RunHistory {
  workflow: string;
  input: unknown;
  startedAt: string;
  endedAt?: string;
  continues?: string;
  result?: unknown;
  failure?: string;
  /** In the order in which they ended; what is under way comes last. */
  records: HistoryRecord[];
}

/** The beginning of a run's history, up to its first event, as the server has it: its input may be encrypted. */
export async function beginningOf(
  { options, workflowService }: Pick<WorkflowClient, 'options' | 'workflowService'>,
  execution: { workflowId: string; runId?: string },
): Promise<History> {
  const request = { namespace: options.namespace, execution, maximumPageSize: 1 };
  return (await workflowService.getWorkflowExecutionHistory(request)).history ?? {};
}

/** Reads a history, without a worker. @param turns how many turns earlier runs of the same session have had */
export function readHistory({ events }: History, converter: PayloadConverter, turns = 0): RunHistory {
  const reader = new HistoryReader(converter, turns);
  for (const event of events ?? []) reader.read(event);
  return reader.history;
}

class HistoryReader {
  readonly #converter: PayloadConverter;
  readonly #history: RunHistory = { workflow: '', input: undefined, startedAt: '', records: [] };
  readonly #open = new Map<string, ActivityRecord & { at: string; turn: number }>();
  /** The events by which turns have begun, by their ids. */
  readonly #turns = new Set<string>();
  #turnsEnded: number;

  constructor(converter: PayloadConverter, turns: number) {
    this.#converter = converter;
    this.#turnsEnded = turns;
  }

  get history(): RunHistory {
    return { ...this.#history, records: [...this.#history.records, ...this.#open.values()] };
  }

  read(event: HistoryEvent): void {
    const at = (optionalTsToDate(event.eventTime) ?? new Date(0)).toISOString();
    this.#readRun(event, at);
    this.#readActivity(event, at);
    this.#readMessage(event, at);
  }

  #readRun(event: HistoryEvent, at: string): void {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) {
      const input = this.#value(started.input?.payloads);
      const continues = started.continuedExecutionRunId;
      const workflow = started.workflowType?.name ?? '';
      Object.assign(this.#history, { workflow, input, startedAt: at, ...(continues && { continues }) });
      const { text } = (input ?? {}) as { text?: unknown };
      if (workflow === 'session' && typeof text === 'string') this.#add(at, { kind: 'turn', text });
    }
    const completed = event.workflowExecutionCompletedEventAttributes;
    const failed = event.workflowExecutionFailedEventAttributes;
    const terminated = event.workflowExecutionTerminatedEventAttributes;
    if (completed) {
      const result = this.#value(completed.result?.payloads);
      // The one turn of a session that was given its text at the start is no update, and its result is the session's.
      const isTurn = this.#turnsEnded === 0 && this.#history.records.some(({ kind }) => kind === 'turn');
      if (isTurn) this.#add(at, { kind: 'turn_ended', result });
      this.#end(at, { result });
    } else if (failed) this.#end(at, { failure: reasonOf(failed.failure) });
    else if (event.workflowExecutionTimedOutEventAttributes) this.#end(at, { failure: 'its time was up' });
    else if (event.workflowExecutionCanceledEventAttributes) this.#end(at, { failure: 'cancelled' });
    else if (terminated) this.#end(at, { failure: terminated.reason || 'terminated' });
  }

  #end(endedAt: string, how: { result: unknown } | { failure: string }): void {
    Object.assign(this.#history, { endedAt, ...how });
  }

  #readActivity(event: HistoryEvent, at: string): void {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) {
      const summary = event.userMetadata?.summary;
      this.#open.set(String(event.eventId), {
        ...this.#stamp(at),
        kind: 'activity',
        type: scheduled.activityType?.name ?? '',
        summary: summary ? String(this.#converter.fromPayload(summary)) : '',
        input: this.#value(scheduled.input?.payloads),
        since: at,
      });
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    const cancelled = event.activityTaskCanceledEventAttributes;
    if (completed)
      this.#close(completed.scheduledEventId, at, { result: this.#value(completed.result?.payloads) ?? null });
    else if (failed) this.#close(failed.scheduledEventId, at, { failure: reasonOf(failed.failure) });
    else if (cancelled) this.#close(cancelled.scheduledEventId, at, { failure: 'cancelled' });
    // A call that is given up may be recorded as no more than a request to cancel it.
    const given = event.activityTaskCancelRequestedEventAttributes;
    if (given) Object.assign(this.#open.get(String(given.scheduledEventId)) ?? {}, { failure: 'cancelled' });
  }

  #close(scheduledId: unknown, at: string, how: { result: unknown } | { failure: string }): void {
    const activity = this.#open.get(String(scheduledId));
    if (activity === undefined) return;
    this.#open.delete(String(scheduledId));
    const { failure: _, ...rest } = activity;
    this.#history.records.push({ ...rest, at, ...how });
  }

  #readMessage(event: HistoryEvent, at: string): void {
    const signaled = event.workflowExecutionSignaledEventAttributes;
    const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
    // Every signal may come as an update too.
    const name = signaled?.signalName ?? update?.name;
    const input = this.#value(signaled?.input?.payloads ?? update?.args?.payloads);
    if (update && name === handleTextUpdate.name) {
      this.#turns.add(String(event.eventId));
      this.#history.records.push({ at, turn: this.#nextTurn(), kind: 'turn', text: String(input) });
    } else if (signaled || update) this.#add(at, { kind: 'signal', name: name ?? '', input });
    const updated = event.workflowExecutionUpdateCompletedEventAttributes;
    if (updated && this.#turns.has(String(updated.acceptedEventId))) {
      const { failure, success } = updated.outcome ?? {};
      const how = failure ? { failure: reasonOf(failure) } : { result: this.#value(success?.payloads) };
      this.#add(at, { kind: 'turn_ended', ...how });
      this.#turnsEnded += 1;
    }
  }

  /** Turns may be sent while others wait. They are taken in the order of arrival. */
  #nextTurn(): number {
    const last = this.#history.records.findLast(({ kind }) => kind === 'turn');
    return Math.max(this.#turnsEnded, last?.turn ?? 0) + 1;
  }

  #add(at: string, body: RecordBody): void {
    this.#history.records.push({ ...this.#stamp(at), ...body });
  }

  #stamp(at: string): { at: string; turn: number } {
    return { at, turn: this.#history.workflow === 'session' ? this.#turnsEnded + 1 : 0 };
  }

  #value(payloads: Payloads): unknown {
    const [first] = payloads ?? [];
    return first === undefined ? undefined : this.#converter.fromPayload(first);
  }
}

type Failure = { message?: string | null; cause?: Failure } | null | undefined;

/** The innermost message, which says what has happened; those around it say where. */
function reasonOf(failure: Failure): string {
  let innermost = failure;
  while (innermost?.cause?.message) innermost = innermost.cause;
  return innermost?.message || 'unknown';
}
