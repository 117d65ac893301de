import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError, WorkflowFailedError, type Client, type WorkflowHandle } from '@temporalio/client';
import { NamespaceNotFoundError } from '@temporalio/common';
import { eventsQuery } from '../../../src/protocol/definitions.ts';

/** How long a run that has ended may leave a question unanswered, in milliseconds. */
const unansweredMs = 60_000;

/**
 * How long a run's history may not grow before it counts as one that never ends, in milliseconds. A machine with too little time
 * lets a task time out and waits a minute before its next try; a worker that is soon killed may get no further than to replay a
 * long history, and the next one and the one after it too.
 */
const silentMs = 240_000;

/** How long one look at its events may take, in milliseconds. */
const lookMs = 10_000;

/** How often a run is asked: one that no worker keeps in memory is replayed for each query. */
export interface Pace {
  /** Milliseconds between two looks at its events. */
  pollIntervalMs: number;
  /** Which share of the other queries is made. */
  queries: number;
  /** The shortest and the longest time between two messages, in milliseconds. */
  messageAfterMs: readonly [least: number, most: number];
}

/**
 * Waits until a run ends, and looks at its events meanwhile and afterwards.
 *
 * @param asked the run whose events are looked at
 * @returns its result as JSON, or its failure; undefined for a run that would never have ended, and was terminated. And whether
 *   it could be asked after its end
 */
export async function endIfAny(
  client: Client,
  handle: WorkflowHandle,
  asked: WorkflowHandle,
  looks: string[][],
  pace: Pace,
): Promise<{ end: string | undefined; isTold: boolean }> {
  const over = new AbortController();
  const ended = endOf(handle);
  const watching = silence(client, handle, asked, looks, pace, over.signal);
  const end = await Promise.race([ended, watching]);
  if (end === undefined) await handle.terminate('It has hung').catch(() => {});
  over.abort();
  await Promise.all([ended, watching]);
  return { end, isTold: end !== undefined && (await lastLook(client, asked, looks)) };
}

async function endOf(handle: WorkflowHandle): Promise<string> {
  try {
    return JSON.stringify(await patiently(() => handle.result()));
  } catch (error) {
    if (error instanceof WorkflowFailedError) return `failed: ${String(error.cause)}`;
    throw error;
  }
}

/** Asks a server again that could not answer, since it has too much to do (it then knows no namespace for a moment) or was killed. */
export async function patiently<T>(request: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ServiceError || error instanceof NamespaceNotFoundError)) throw error;
    }
    await pause(500);
  }
}

/** How often its task may be tried before half of that time is enough: a worker that is killed costs it one try. */
const mostTries = 15;

/** Looks at a run's events again and again. @returns when its history has not grown for too long, or its task fails on and on */
export async function silence(
  client: Client,
  handle: WorkflowHandle,
  asked: WorkflowHandle,
  looks: string[][],
  pace: Pace,
  over: AbortSignal,
): Promise<undefined> {
  let grewAt = Date.now();
  let length = 0;
  while (!over.aborted && Date.now() - grewAt < silentMs) {
    await look(client, asked, looks);
    // The server tells this, whether or not there is a worker that can.
    const { historyLength, raw } = await patiently(() => handle.describe());
    if (historyLength > length) grewAt = Date.now();
    length = historyLength;
    const tried = raw.pendingWorkflowTask?.attempt ?? 0;
    if (tried >= mostTries && Date.now() - grewAt >= silentMs / 2) return;
    await pause(pace.pollIntervalMs, undefined, { signal: over }).catch(() => {});
  }
}

/**
 * Notes what a run says has happened, in place of what it said before if it only says more.
 *
 * @returns whether it could be asked: its worker may have just been killed
 */
async function look(client: Client, handle: WorkflowHandle, looks: string[][]): Promise<boolean> {
  const said = await client.withDeadline(Date.now() + lookMs, () => handle.query(eventsQuery)).catch(() => undefined);
  if (said === undefined) return false;
  const events = said.map((event) => JSON.stringify(event));
  const before = looks.at(-1);
  if (before !== undefined && isBeginning(before, events)) looks.pop();
  looks.push(events);
  return true;
}

/** Asks a run that has ended until it answers: its worker may have been killed, and the SDK loses a query now and then. */
async function lastLook(client: Client, handle: WorkflowHandle, looks: string[][]): Promise<boolean> {
  const until = Date.now() + unansweredMs;
  while (Date.now() < until) {
    if (await look(client, handle, looks)) return true;
    await pause(500);
  }
  return false;
}

/** Whether a list of texts is the beginning of another. */
export const isBeginning = (some: string[], all: string[]): boolean => some.every((text, index) => text === all[index]);
