import type { StreamResponse, TaskStatus } from '@a2a-js/sdk';
import { UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { PendingQuestion } from '../../client.ts';
import { isOver, look, openStatus, type Caller } from './task.ts';
import { linesOf, waitingAfter } from '../waiting.ts';

/**
 * Tells of a task as it is now, and of what happens from there on until it has ended: all who follow it are told the same, in the
 * same order, by whichever server.
 *
 * @param untilAsked whether it ends when something waits too, since the client then has to act
 * @param after the number of the last event that the client has; absent: that of the task as it is now
 * @throws as `look`; `UnsupportedOperationError` where somebody begins to follow what has ended
 */
export async function* follow(
  caller: Caller,
  id: string,
  untilAsked: boolean,
  after?: number,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { seq: now, task, waiting: asked } = await look(caller, id);
  if (isOver(task) && !untilAsked && after === undefined)
    throw new UnsupportedOperationError(`The task ${id} has ended: get it instead`);
  yield { payload: { $case: 'task', value: task } };
  if (untilAsked && after === undefined && (isOver(task) || asked.length > 0)) return;
  const common = { taskId: id, contextId: task.contextId };
  const update = (status: TaskStatus | undefined, seq: number, type: string): StreamResponse => ({
    payload: { $case: 'statusUpdate', value: { ...common, status, metadata: { seq, type } } },
  });
  let waiting: readonly PendingQuestion[] = [];
  for await (const item of caller.served.feeds.follow(id, { signal: caller.signal })) {
    if (item.type === 'end') break;
    if (item.type !== 'event') continue;
    const { at, seq, type } = item.event;
    const before = waiting;
    waiting = waitingAfter(before, item.event);
    if (seq <= (after ?? now)) continue;
    const begins = waiting.length > before.length;
    const lines = begins ? [] : linesOf(item.event);
    if (waiting !== before || lines.length > 0)
      yield update(openStatus({ ...common, number: seq }, waiting, lines, at), seq, type);
    if (!untilAsked || !begins) continue;
    // Several things may have begun to wait at once, and all are told before the stream ends.
    const seen = await look(caller, id, 0);
    if (seen.seq > seq && seen.waiting.length > 0) yield update(seen.task.status, seen.seq, type);
    // Where no worker tells at the moment, the event itself says that something waits.
    if (seen.seq < seq || seen.waiting.length > 0) return;
  }
  if (caller.signal.aborted) return;
  const { seq, task: last } = await look(caller, id, 0);
  for (const artifact of last.artifacts) {
    const value = { ...common, artifact, append: false, lastChunk: true, metadata: { seq } };
    yield { payload: { $case: 'artifactUpdate', value } };
  }
  yield update(last.status, seq, 'ended');
}
