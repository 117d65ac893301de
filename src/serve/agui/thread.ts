import { setTimeout as pause } from 'node:timers/promises';
import { hashOf } from '../../util/ids.ts';
import { isOpenStatus } from '../../util/run-status.ts';
import type { Reprise } from '../../client.ts';
import type { Feeds } from '../../client/feed.ts';
import { ifFound } from '../../client/errors.ts';
import { ifAnswered } from '../../client/snapshot.ts';

export interface Thread {
  /** Whose runs a worker takes. */
  reprise: Reprise;
  feeds: Feeds;
  /** The workflow's id: that of the thread's session, or of the run that belongs to its last message. */
  id: string;
  /** Says that nobody reads the stream any more. */
  signal: AbortSignal;
}

/** The run that a workflow's id has now, through all that it continues as. It needs no worker. `chain` tells it from earlier ones. */
export async function chainOf({ id, reprise }: Thread): Promise<{ chain: string; isOpen: boolean } | undefined> {
  const found = await ifFound(reprise.client.workflow.getHandle(id).describe());
  if (found === undefined) return undefined;
  const first = found.raw.workflowExecutionInfo?.firstRunId || found.runId;
  return { chain: hashOf(first).slice(0, 8), isOpen: isOpenStatus(found.status.name) };
}

/** What a query says, or undefined where no worker answers it at present. */
export const ifTold = <T>({ reprise }: Thread, query: () => Promise<T>): Promise<T | undefined> =>
  ifAnswered(reprise.client, 3000, query);

/** What a query says, as soon as a worker answers it. @throws where nobody waits for it any more */
export async function onceAnswered<T>(thread: Thread, query: () => Promise<T>): Promise<T> {
  for (;;) {
    const answered = await ifTold(thread, query);
    if (answered !== undefined) return answered;
    await pause(1000, undefined, { signal: thread.signal });
  }
}
