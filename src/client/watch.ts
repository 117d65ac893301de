import { WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { eventsSince, type Place } from './chain.ts';
import { callsIn, isPassing, type Look, type RunState } from './look.ts';

export interface WatchOptions {
  /** Time between looks, in milliseconds; 250 when absent. */
  everyMs?: number;
  /** Only what has happened since then is shown. */
  after?: Place;
  /** When this is settled, one more look is the last one. Until then the run may not have begun yet. */
  until?: Promise<unknown>;
}

/** How long a look waits for the server, and for a worker to answer queries, in milliseconds. */
const lookPatience = 5000;

/** See `Run.watch`. Queries, which cost a worker's time, are made only when the history has grown. */
export async function* watchRun<State extends RunState>(
  handle: WorkflowHandle,
  { everyMs = 250, after, until }: WatchOptions,
): AsyncGenerator<Look<State>> {
  const { client, workflowId } = handle;
  const { payloadConverter } = client.options.loadedDataConverter;
  let over = false;
  const settled = until?.then(
    () => (over = true),
    () => (over = true),
  );
  let seen = after;
  let seenLength = -1;
  let inVain = 0;
  let state: State | undefined;
  for (;;) {
    const isLast = over;
    let ended = false;
    const look: Look<State> = { events: [], state, calls: [] };
    try {
      await client.connection.withDeadline(Date.now() + lookPatience, async () => {
        const description = await handle.describe();
        const { runId, historyLength } = description;
        ended = description.status.name !== 'RUNNING';
        look.calls = callsIn(description, payloadConverter);
        if (runId === seen?.runId && historyLength <= seenLength) return;
        const events = await eventsSince(client, workflowId, runId, seen);
        state = await client.getHandle(workflowId, runId).query<State>('state');
        Object.assign(look, { events, state });
        const last = events.at(-1);
        // A run that has told nothing yet may still turn out to be another one under the same id.
        if (last !== undefined || seen === undefined) seen = { runId, seq: last?.seq ?? 0 };
        seenLength = historyLength;
      });
      inVain = 0;
    } catch (error) {
      const isComing = until !== undefined && error instanceof WorkflowNotFoundError;
      if (!isPassing(error) && !isComing) throw error;
      if (!isComing) look.trouble = error;
      inVain += 1;
    }
    yield look;
    if (isLast) return;
    if (until === undefined && ended && (inVain === 0 || inVain > 2)) return;
    const pause = new Promise((resolve) => setTimeout(resolve, everyMs));
    await (over || settled === undefined ? pause : Promise.race([pause, settled]));
  }
}
