import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { RunEvent } from '../../protocol/events.ts';
import type { State } from '../../protocol/state.ts';
import { RequestRefusedError, UnreachableError, UnservedError } from '../errors.ts';
import type { RunSnapshot, TextPiece } from '../snapshot.ts';
import type { WatchOptions } from '../watch.ts';
import type { RunWay } from '../temporal/run.ts';
import type { HttpServer } from './server.ts';

type Told =
  | { type: 'event'; event: RunEvent }
  | { type: 'text'; piece: TextPiece }
  | { type: 'trouble'; message: string };

/** How long a run may be quiet until it is asked nevertheless, and after how long a connection is made again, in milliseconds. */
const quietMs = 5000;
const retryEveryMs = 1000;

/** Yields snapshots, as `Run.watch` does, of what a server's stream of events brings. @param path of that stream */
export async function* watchOver(
  run: Pick<RunWay, 'state' | 'pendingCalls'>,
  server: HttpServer,
  path: string,
  { after, everyMs = 250, until }: WatchOptions,
): AsyncGenerator<RunSnapshot> {
  const gone = new AbortController();
  let isOver = false;
  const over = until?.catch(() => {}).then(() => (isOver = true));
  const items = followed(server, path, after?.seq ?? 0, gone.signal, until !== undefined);
  const ends = new Map<string, number>();
  let next = items.next();
  let state: State | undefined;
  let calls: RunSnapshot['calls'] = [];
  let askedAt = -Infinity;
  try {
    for (let ended = false; ;) {
      const isLast = isOver;
      const snapshot: RunSnapshot = { events: [], texts: [], state, calls };
      const due = pause(everyMs, undefined, { signal: gone.signal }).catch(() => {});
      for (;;) {
        const item = await Promise.race([next, due, ...(isLast || over === undefined ? [] : [over])]);
        if (typeof item !== 'object') break;
        ended = item.done ?? false;
        if (item.done) break;
        next = items.next();
        const update = item.value;
        if (update.type === 'event') snapshot.events.push(update.event);
        else if (update.type === 'text') snapshot.texts.push(...newOf(update.piece, ends));
        else snapshot.trouble = new Error(update.message);
      }
      if (snapshot.events.length > 0 || performance.now() - askedAt > quietMs) {
        askedAt = performance.now();
        try {
          [state, calls] = await Promise.all([run.state(), run.pendingCalls()]);
          Object.assign(snapshot, { state, calls });
        } catch (error) {
          if (!isPassing(error) && !(error instanceof WorkflowNotFoundError && until !== undefined)) throw error;
          snapshot.trouble = error as Error;
        }
      }
      yield snapshot;
      if (ended || isLast) return;
    }
  } finally {
    gone.abort();
    await next.catch(() => {});
  }
}

/** Whether the same may be asked later: the server, Temporal or a worker is away. */
const isPassing = (error: unknown): boolean =>
  error instanceof UnreachableError ||
  error instanceof UnservedError ||
  (error instanceof RequestRefusedError && error.status >= 429);

/** What a stream brings, over as many connections as it takes, until the run has ended. @param isComing whether the run may yet begin */
async function* followed(
  server: HttpServer,
  path: string,
  after: number,
  signal: AbortSignal,
  isComing: boolean,
): AsyncGenerator<Told, void> {
  for (let seq = after; ;) {
    try {
      const headers = { accept: 'text/event-stream', 'last-event-id': String(seq) };
      const { body, status } = await server.send(path, { headers, signal });
      if (status === 204 || body === null) return;
      for await (const { data, event, id } of body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream())) {
        if (event === 'end') return;
        const parsed = JSON.parse(data) as object;
        if (event === 'text') yield { type: event, piece: parsed as TextPiece };
        else if (event === 'trouble') yield { type: event, ...(parsed as { message: string }) };
        else if (id !== undefined) {
          seq = Number(id);
          yield { type: 'event', event: parsed as RunEvent };
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      const isAwaited = error instanceof WorkflowNotFoundError && isComing;
      // A connection that breaks off while it is read is a `TypeError`.
      if (!isAwaited && !isPassing(error) && !(error instanceof TypeError)) throw error;
      if (!isAwaited) yield { type: 'trouble', message: (error as Error).message };
    }
    await pause(retryEveryMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
  }
}

/** What is new of a text, although a new connection begins with what was told before. @param ends of the texts so far, by call */
function newOf(piece: TextPiece, ends: Map<string, number>): TextPiece[] {
  const { activityId, offset, reset, text } = piece;
  const end = reset ? 0 : (ends.get(activityId) ?? 0);
  ends.set(activityId, Math.max(end, offset + text.length));
  const known = Math.max(0, end - offset);
  return known >= text.length ? [] : [{ ...piece, offset: offset + known, text: text.slice(known) }];
}
