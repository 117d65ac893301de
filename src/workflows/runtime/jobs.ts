import { defaultPayloadConverter } from '@temporalio/workflow';

type Payload = Parameters<typeof defaultPayloadConverter.fromPayload>[0];

/** What is looked at of a job of Temporal's core. */
export interface Job {
  initializeWorkflow?: object | null;
  signalWorkflow?: { signalName?: string | null; input?: Payload[] | null } | null;
  doUpdate?: { name?: string | null; input?: Payload[] | null } | null;
}

/**
 * The jobs of one activation in an order that a replay gives them too: updates, signals, and then all else.
 *
 * Live, the SDK's core puts an update where the server has put it among the signals of its task; at a replay it puts all
 * updates behind all signals. And it must be the first command of a task that an update was accepted: where a signal's
 * handler has made a command before, core overlooks, if the task before had no command, that there were two tasks, and
 * merges them (`find_end_index_of_next_wft_seq`). Then the signal overtakes what had ended before it. So updates go first.
 */
export const inOrder = <J extends Job>(jobs: J[]): J[] => jobs.toSorted((one, other) => placeOf(one) - placeOf(other));

const placeOf = ({ doUpdate, initializeWorkflow, signalWorkflow }: Job): number =>
  initializeWorkflow ? 0 : doUpdate ? 1 : signalWorkflow ? 2 : 3;

/** A point of a run's history: the number of events up to it, and when the last workflow task before it began. */
interface Point {
  events: number;
  time: string;
}

/**
 * What a run was told of its history, and whether that may be more than its workflow tasks have told it.
 *
 * Where a worker has died, the next one may get a query first, with the whole history, and the SDK's core tells the run of what
 * has come since the last task, although the task for it has not begun, or is the dead worker's. When it comes, core takes
 * the rest of it for all: it is done in two parts, of which a replay, for which it is one, makes another order and other
 * times. So such a query is not answered, and the worker forgets what it has made of the run for it.
 */
export class Delivered {
  /** How many events the commands become by which the run has answered what it was told last. */
  answered = 0;
  #last: Point | undefined;
  /** Whether the worker has the run from its history, and not from its beginning on. */
  #isReplayed = false;
  /** Whether what the run was told last belongs to no task that has begun. */
  #isAhead = false;
  /** When the first task began that was no replay; it counts as done when another one begins. */
  #first: { time: string; isDone: boolean } | undefined;
  /** Whether a query that has a task of its own would be answered ahead of the run's workflow task. It may be a false alarm. */
  get mayBeAhead(): boolean {
    return this.#isAhead || (this.#isReplayed && this.#first !== undefined && !this.#first.isDone);
  }

  /**
   * Whether a query comes with the start of a task of which the run was told nothing. Where the worker has no run, it
   * fetches the history for the query, with the task that has begun meanwhile, for an update perhaps. Without the update
   * core drops that task; then the next events get its numbers, core takes them for known, and the run is never told of
   * them. A task that has come to an end is followed by one event more.
   */
  isBehindUntold(query: Point): boolean {
    const last = this.#last;
    return last !== undefined && query.time !== last.time && query.events === last.events + 3 + this.answered;
  }

  note(now: Point, isReplaying: boolean): void {
    const last = this.#last;
    this.#last = now;
    this.#isReplayed ||= isReplaying;
    this.#isAhead = !isReplaying && last !== undefined && now.time === last.time && now.events > last.events;
    if (isReplaying || this.#isAhead) return;
    const first = this.#first;
    this.#first = { time: now.time, isDone: first !== undefined && (first.isDone || first.time !== now.time) };
  }
}

/** How many events commands become: each one, but for the answer to a query and the refusal of an update. */
export const eventsOf = (
  commands: Array<{ respondToQuery?: unknown; updateResponse?: { rejected?: unknown } | null }>,
): number =>
  commands.filter(({ respondToQuery, updateResponse }) => !respondToQuery && !updateResponse?.rejected).length;

/** Names that the SDK keeps for itself. What comes under one of them would make its task fail again and again. */
const reserved = '__temporal_';

export const nameOf = (name: string | null | undefined): string =>
  name?.startsWith(reserved) ? name.slice('__'.length) : (name ?? '');

export const bytesOf = (payloads: Payload[] | null | undefined): number =>
  (payloads ?? []).reduce((sum, { data }) => sum + (data?.length ?? 0), 0);

/**
 * Takes the payloads away from a message that nobody can read. Of a signal they would make its task fail again and again, and
 * the SDK would refuse an update before anything is written of it.
 */
export function makeReadable({ doUpdate, signalWorkflow }: Job): void {
  for (const message of [doUpdate, signalWorkflow])
    if (message && valuesOf(message.input) === undefined) message.input = [];
}

/** The values of payloads; undefined if one of them cannot be read. */
export function valuesOf(payloads: Payload[] | null | undefined): unknown[] | undefined {
  try {
    return payloads?.map((payload) => defaultPayloadConverter.fromPayload(payload)) ?? [];
  } catch {
    return undefined;
  }
}
