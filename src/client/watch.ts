import { setTimeout as pause } from 'node:timers/promises';
import {
  QueryRejectedError,
  WorkflowNotFoundError,
  type WorkflowClient,
  type WorkflowHandle,
} from '@temporalio/client';
import { eventsQuery, stateQuery } from '../protocol/definitions.ts';
import type { RunEvent } from '../protocol/events.ts';
import type { State } from '../protocol/state.ts';
import { isOpenStatus, paused } from '../util/run-status.ts';
import { ifFound, temporalReason } from './errors.ts';
import { whyUnserved } from './pollers.ts';
import { SharedTexts, TextReader } from './shared-run.ts';
import { beginningOf } from './show/history.ts';
import { callsIn, isPassing, type Look, type RunSnapshot } from './snapshot.ts';
import { StoredTexts, type StorePlace } from './stored-texts.ts';

/** A place in the events of a run. */
export interface EventCursor {
  runId: string;
  /** Sequence number of the last event before the place; 0 at the beginning. */
  seq: number;
}

export interface WatchOptions extends StorePlace {
  /** Time between two snapshots, in milliseconds; 250 when absent. */
  everyMs?: number;
  /** The place from which events are told; the beginning when absent. */
  after?: EventCursor;
  /** Once this is settled, one more snapshot is the last one. Until then the run need not have begun yet. */
  until?: Promise<unknown>;
}

/**
 * In milliseconds: so long may a history stay as it is until its run is asked nevertheless. Only by that does a worker show that it
 * has died in a quiet call, since a call that is tried again leaves nothing in the history.
 */
const quietMs = 5000;

export class RunLooks {
  readonly #handle: WorkflowHandle;
  readonly #asksState: boolean;
  /** The place up to which events were told; undefined before the first. */
  seen: EventCursor | undefined;
  #seenLength = -1;
  #askedAt = 0;
  #state: State | undefined;

  constructor(handle: WorkflowHandle, after: EventCursor | undefined, asksState: boolean) {
    this.#handle = handle;
    this.seen = after;
    this.#asksState = asksState;
  }

  /**
   * Queries take a worker's time, and are sent when the history has grown or is quiet. @param isComing whether the run need not have
   * begun yet @throws as `Run.watch`
   */
  async look(isComing = false): Promise<Look> {
    const { client } = this.#handle;
    const look: Look = { events: [], state: this.#state, calls: [], runId: undefined, status: undefined };
    try {
      await client.connection.withDeadline(Date.now() + 5000, () => this.#fill(look));
    } catch (error) {
      const isUnknown = isComing && error instanceof WorkflowNotFoundError;
      if (!isPassing(error) && !isUnknown) throw error;
      // If it is the run itself that does not answer, its worker's own words are told.
      if (error instanceof QueryRejectedError) look.trouble = new Error(paused, { cause: error });
      else if (!isUnknown)
        look.trouble = (await whyUnserved(this.#handle)) ?? new Error(temporalReason(error), { cause: error });
    }
    return look;
  }

  async #fill(look: Look): Promise<void> {
    const { client, workflowId } = this.#handle;
    const description = await this.#handle.describe();
    const { runId, historyLength } = description;
    look.calls = await callsIn(description, client.options.loadedDataConverter);
    look.runId = runId;
    look.status = description.status.name;
    const isQuiet = runId === this.seen?.runId && historyLength <= this.#seenLength;
    if (isQuiet && Date.now() - this.#askedAt < quietMs) return;
    this.#askedAt = Date.now();
    const events = await eventsSince(client, workflowId, runId, this.seen);
    if (this.#asksState) this.#state = await client.getHandle(workflowId, runId).query(stateQuery);
    Object.assign(look, { events, state: this.#state });
    const last = events.at(-1);
    // While a run has no events, its id may still turn out to be that of a new run.
    if (last !== undefined || this.seen === undefined) this.seen = { runId, seq: last?.seq ?? 0 };
    this.#seenLength = historyLength;
  }
}

export async function* watchRun(
  handle: WorkflowHandle,
  { everyMs = 250, after, until, ...place }: WatchOptions,
): AsyncGenerator<RunSnapshot> {
  let over = false;
  const settled = until?.catch(() => {}).then(() => (over = true));
  const looks = new RunLooks(handle, after, true);
  let inVain = 0;
  const stored = new StoredTexts(place);
  const texts = new SharedTexts(stored);
  const reader = new TextReader(texts);
  try {
    for (;;) {
      const isLast = over;
      const look = await looks.look(until !== undefined);
      await texts.see(look);
      const { runId: _, status, ...snapshot } = look;
      inVain = look.trouble === undefined ? 0 : inVain + 1;
      yield { ...snapshot, texts: [...reader.all()] };
      if (isLast) return;
      const ended = status !== undefined && !isOpenStatus(status);
      if (until === undefined && ended && (inVain === 0 || inVain > 2)) return;
      await Promise.race([pause(everyMs), ...(over || settled === undefined ? [] : [settled])]);
    }
  } finally {
    await stored.close();
  }
}

/**
 * The events since a place, of a run and of the runs that it continues. Sequence numbers go on from run to run, and each
 * run keeps its own events. Where a run is a new one under an old id, it continues none, and all of its events are new.
 */
async function eventsSince(
  client: WorkflowClient,
  workflowId: string,
  runId: string,
  known: EventCursor | undefined,
): Promise<RunEvent[]> {
  const query = (from: number): Promise<RunEvent[]> => client.getHandle(workflowId, runId).query(eventsQuery, from);
  const from = (known?.seq ?? 0) + 1;
  const own = await query(from);
  if (runId === known?.runId || (from === 1 && own[0]?.seq === 1)) return own;
  const { events } = await beginningOf(client, { workflowId, runId });
  const earlier = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
  if (!earlier) return from === 1 ? own : query(1);
  if (own[0]?.seq === from) return own;
  // The server deletes ended runs after some time.
  return [...((await ifFound(eventsSince(client, workflowId, earlier, known))) ?? []), ...own];
}
