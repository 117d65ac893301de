import { setTimeout as pause } from 'node:timers/promises';
import { EventType, type Event, type Interrupt, type RunFinishedEvent } from '@ag-ui/core';
import { RunNotOpenError, type Reprise } from '../../client.ts';
import { argumentsProblem } from '../../client/edited.ts';
import { ifFound } from '../../client/errors.ts';
import type { Feeds } from '../../client/feed.ts';
import { ifAnswered } from '../../client/snapshot.ts';
import type { RunEvent } from '../../protocol/events.ts';
import { hashOf } from '../../util/ids.ts';
import { isOpenStatus } from '../../util/run-status.ts';
import { HttpProblem } from '../problems.ts';
import { interruptOf, type Act, type Resumed } from './interrupts.ts';
import { closing, emptyState, eventsFor, line, opening, type StreamState } from './stream-state.ts';

/** Where a stream begins: with a session's turn, by the id of its update, or behind an event, 0 being the beginning. */
export type Begin = { turn: string } | { after: number };

export type Finish = Pick<RunFinishedEvent, 'outcome' | 'result'>;

/** `answered`: what this request has answered, which waits until the run has taken that. `isOver`: before the request came. */
type Followed = { chain: string; begin: Begin; answered: Set<string>; isOver: boolean };

/**
 * Tells what happens in a run, until its turn or itself has ended, or something waits for a person. What happens in between is
 * told by the next stream. @throws where the turn or the run has failed
 */
export async function* follow(thread: Thread, followed: Followed): AsyncGenerator<Event, Finish> {
  const { answered, begin, chain, isOver } = followed;
  const { feeds, id, reprise, signal } = thread;
  let state = emptyState(id, chain);
  let isTold = 'after' in begin && begin.after === 0;
  /** What the opening of a session has told before its first turn. */
  const notices: Event[] = [];
  let troubles = 0;
  if (isTold) yield* opening(state);
  for await (const item of feeds.follow(id, { signal })) {
    if (item.type === 'end') {
      if (!isOver && (item.status === 'failed' || item.status === 'timed_out')) await reprise.getRun(id).result();
      if (!isTold) {
        await reprise.getRun(id).assertOpen();
        // What has ended is the run that had the id before, which others were following.
        return yield* follow(thread, followed);
      }
      yield* closing(state, null);
      return { outcome: { type: item.status === 'completed' ? 'success' : 'cancelled' } };
    }
    if (item.type === 'trouble' && isTold) yield line(`${chain}-trouble-${++troubles}`, item.message);
    if (item.type !== 'event') continue;
    const { event } = item;
    const [after, events] = eventsFor(state, event);
    state = after;
    if (isTold) yield* events;
    else if (isBegin(begin, event)) {
      isTold = true;
      yield* opening(state);
      if ('turn' in begin && state.view.turn === 1) yield* notices;
    } else if (state.view.turn === 0) notices.push(...events.filter(({ type }) => type !== EventType.STATE_DELTA));
    if (!isTold) continue;
    if (event.type === 'turn_failed') throw new HttpProblem(502, event.why);
    if (event.type === 'final') {
      const { agent, outcome } = event;
      yield* closing(state, await usageOf(thread));
      const type = outcome === 'cancelled' ? 'cancelled' : 'success';
      return { outcome: { type }, result: { run: id, outcome, agent } };
    }
    if (isRefusal(event)) answered.clear();
    const interrupts = await interruptsOf(thread, state, { answered, chain, seq: event.seq });
    if (interrupts.length === 0) continue;
    yield* closing(state, await usageOf(thread));
    return { outcome: { type: 'interrupt', interrupts } };
  }
  throw new Error('nobody reads the stream any more');
}

const isBegin = (begin: Begin, event: RunEvent): boolean =>
  'turn' in begin ? event.type === 'turn' && event.id === begin.turn : event.seq >= begin.after;

/** Whether the run does not take what a person has sent, so that what they were asked may still wait. */
const isRefusal = (event: RunEvent): boolean =>
  event.type === 'restart_refused' || (event.type === 'warning' && event.text.includes(' is ignored: '));

const usageOf = async (thread: Thread) =>
  (await ifTold(thread, () => thread.reprise.getRun(thread.id).state()))?.usage ?? null;

/**
 * What waits for a person, apart from what was just answered. Where more waits than the events have told of so far, it is none
 * yet: all that waits is asked at once.
 */
async function interruptsOf(
  thread: Thread,
  { calls, waiting }: StreamState,
  { answered, ...place }: { answered: ReadonlySet<string>; chain: string; seq: number },
): Promise<Interrupt[]> {
  if (waiting.every(({ questionId }) => answered.has(questionId))) return [];
  const pending = await onceAnswered(thread, () => thread.reprise.getRun(thread.id).pendingQuestions());
  const open = pending.filter(({ questionId }) => !answered.has(questionId));
  const isTold = (id: string): boolean => waiting.some(({ questionId }) => questionId === id);
  if (open.some(({ questionId }) => !isTold(questionId))) return [];
  return open.map((each) => interruptOf(each, place, calls.find(({ asks }) => asks === each.questionId)?.id));
}

/**
 * Sends what a person has answered, and tells what has happened since they were asked. An answer is a signal, which Temporal
 * keeps where no worker is there. One about what waits no longer has no effect, and is told.
 *
 * @throws `HttpProblem` where changed arguments are not what their tool takes; nothing is sent then
 */
export async function* resume(thread: Thread, entries: Resumed[]): AsyncGenerator<Event, Finish> {
  const present = await chainOf(thread);
  const own = entries.filter(({ chain }) => chain === present?.chain);
  if (present === undefined || own.length === 0) {
    yield* entries.map(settled);
    return { outcome: { type: 'success' } };
  }
  const pending = await ifTold(thread, () => thread.reprise.getRun(thread.id).pendingQuestions());
  const waits = ({ questionId }: Resumed) => pending?.find((each) => each.questionId === questionId);
  for (const entry of own) {
    const given = entry.act.send === 'approve' ? entry.act.decision.arguments : undefined;
    const problem = given && argumentsProblem(given, waits(entry));
    if (problem !== undefined) throw new HttpProblem(422, `${entry.id}: editedArgs: ${problem}`);
  }
  for (const entry of entries) {
    const isSettled = !own.includes(entry) || (pending !== undefined && waits(entry) === undefined);
    if (isSettled || !(await isSent(thread, entry.act))) yield settled(entry);
  }
  return yield* follow(thread, {
    chain: present.chain,
    begin: { after: Math.min(...own.map(({ seq }) => seq)) },
    answered: new Set(own.map(({ questionId }) => questionId)),
    isOver: !present.isOpen,
  });
}

const settled = ({ id }: Resumed): Event => ({
  type: EventType.CUSTOM,
  name: 'reprise.settled',
  value: { interruptId: id, message: 'It waits no longer, and this answer has no effect' },
});

/** @returns whether the run has taken it, which one that has ended does not */
async function isSent({ id, reprise }: Thread, act: Act): Promise<boolean> {
  try {
    if (act.send === 'answer') await reprise.getRun(id).answer(act.reply);
    if (act.send === 'approve') await reprise.getRun(id).approve(act.decision);
    if (act.send === 'decide') await reprise.getResearch(id).decide(act.decision);
    if (act.send === 'restart')
      await reprise.getResearch(id).requestRestart(act.request.reason, act.request.instructions);
    return true;
  } catch (error) {
    if (error instanceof RunNotOpenError) return false;
    throw error;
  }
}

export interface Thread {
  reprise: Reprise;
  feeds: Feeds;
  /** The workflow's id: that of the thread's session, or of the run that belongs to its last message. */
  id: string;
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
const ifTold = <T>({ reprise }: Thread, query: () => Promise<T>): Promise<T | undefined> =>
  ifAnswered(reprise.client, 3000, query);

/** What a query says, as soon as a worker answers it. @throws where nobody waits for it any more */
export async function onceAnswered<T>(thread: Thread, query: () => Promise<T>): Promise<T> {
  for (;;) {
    const answered = await ifTold(thread, query);
    if (answered !== undefined) return answered;
    await pause(1000, undefined, { signal: thread.signal });
  }
}
