import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from 'hono';
import type { Run, RunEvent } from '../../client.ts';
import type { FinalOutcome } from '../../protocol/events.ts';
import type { Figures } from '../../protocol/usage.ts';
import { answerOf } from '../../client/show/record-parts.ts';
import { ifAnswered } from '../../client/snapshot.ts';
import { isOpenStatus } from '../../util/run-status.ts';
import { HttpProblem, problemOf } from '../problems.ts';
import type { Served, ServeEnv } from '../served.ts';
import { assertReached, derivedId, startNamed } from '../start.ts';
import { askedIn, linesOf } from '../waiting.ts';
import { settle, type Asked } from './asking.ts';
import type { Request } from './conversation.ts';
import type { Place } from './places.ts';

/**
 * What an answer tells of a run, one after the other. It ends with the first step that is none of progress and trouble: a
 * question ends it as well as an answer, and what follows is told by the answer to the request that settles it.
 */
export type Step =
  | { type: 'progress'; text: string }
  /** Nothing new is known, and why. It is no part of what the run has done, and is told only while it happens. */
  | { type: 'trouble'; text: string }
  /** `seq`: the event's, where the next part begins. */
  | { type: 'asked'; seq: number; at: string; asked: Asked }
  /** `usage`: that of all agents of the run; null where it is not known yet. */
  | { type: 'answered'; at: string; outcome: FinalOutcome; answer: string; usage: Figures | null }
  | { type: 'failed'; message: string };

export const isEnd = ({ type }: Step): boolean => type !== 'progress' && type !== 'trouble';

/** What an event is to whoever follows the run; undefined for nothing. It depends on nothing else, so that any server tells the same. */
export function stepOf(event: RunEvent): Step | undefined {
  const { at, seq } = event;
  const asked = askedIn(event);
  if (asked !== undefined) return { type: 'asked', seq, at, asked };
  if (event.type === 'final')
    return { type: 'answered', at, outcome: event.outcome, answer: event.answer, usage: null };
  // What was asked is known to whoever has asked.
  if (event.type === 'started' || event.type === 'turn') return undefined;
  const text = [...linesOf(event), ...(event.type === 'answer' ? [event.content] : [])].join('\n');
  return text === '' ? undefined : { type: 'progress', text };
}

/** The outcomes of a run that gives the answer which was wanted, rather than the best that there is. */
const good: FinalOutcome[] = ['submitted', 'degraded', 'answered', 'viable', 'complete'];

export function endingOf(outcome: FinalOutcome): 'completed' | 'incomplete' | 'cancelled' {
  if (outcome === 'cancelled') return outcome;
  return good.includes(outcome) ? 'completed' : 'incomplete';
}

/** What all agents of a run have used, under the names that a part of the API has for it. `cost`: US dollars. */
export const usageOf = (figures: Figures, into: 'input' | 'prompt', out: 'output' | 'completion') => ({
  [`${into}_tokens`]: figures.inputTokens,
  [`${into}_tokens_details`]: { cached_tokens: figures.cachedInputTokens, cache_write_tokens: 0 },
  [`${out}_tokens`]: figures.outputTokens,
  [`${out}_tokens_details`]: { reasoning_tokens: 0 },
  total_tokens: figures.inputTokens + figures.outputTokens,
  cost: figures.costUsd,
});

/**
 * Starts a run, or answers what one waits for. The same request with the same `Idempotency-Key` finds its run again. @returns where
 * the part begins that is to be told @throws `HttpProblem`
 */
export async function begin(served: Served, c: Context<ServeEnv>, request: Request, name: string, memo = {}) {
  const access = c.get('access');
  const key = c.req.header('idempotency-key');
  const { asked, ...wanted } = request;
  if (asked === undefined) {
    const id = key === undefined ? {} : { id: derivedId(access, 'openai', key) };
    const { run } = await startNamed(served, access, { ...wanted, ...id, name, memo });
    // Clients send again by themselves what has failed, and without a key each time would be another run.
    if (key === undefined) c.header('x-should-retry', 'false');
    return { run: run.id, seq: 0 };
  }
  assertReached(access, asked.run);
  const reprise = await served.ready();
  const [event] = (await look(served, asked.run, asked.seq)).events;
  const step = event?.seq === asked.seq ? stepOf(event) : undefined;
  if (step?.type !== 'asked') throw new HttpProblem(404, `The run ${asked.run} has asked nothing of this id`);
  await settle(reprise, asked.run, step.asked, wanted.text);
  return asked;
}

/** Follows a run from a place on until it asks or ends. @param signal says when nobody reads any more */
export async function* follow(served: Served, { run, seq }: Place, signal: AbortSignal): AsyncGenerator<Step> {
  for await (const item of served.feeds.follow(run, { after: seq, signal })) {
    if (item.type === 'trouble') yield { type: 'trouble', text: item.message };
    if (item.type === 'end') return yield await failureOf(served.reprise.getRun(run));
    const step = item.type === 'event' ? stepOf(item.event) : undefined;
    if (step === undefined) continue;
    yield step.type === 'answered' ? await settled(served, run, step) : step;
    if (isEnd(step)) return;
  }
}

/** The same steps; where nothing more can be told of a run, which may go on, the last one says so: a stream has no other way. */
export async function* orFailed(steps: AsyncIterable<Step> | Iterable<Step>): AsyncGenerator<Step> {
  try {
    yield* steps;
  } catch (error) {
    yield { type: 'failed', message: problemOf(error).detail };
  }
}

/** What there is to tell from a place on at present: it may not have ended. @throws `HttpProblem` where no worker tells */
export async function stepsSoFar(served: Served, { run, seq }: Place): Promise<Step[]> {
  const { events, isOpen } = await look(served, run, seq + 1);
  const steps = events.flatMap((event) => stepOf(event) ?? []);
  const end = steps.findIndex(isEnd);
  const last = steps[end];
  if (last === undefined) return isOpen ? steps : [...steps, await failureOf(served.reprise.getRun(run))];
  const final = last.type === 'asked' && isLeft(events, last.asked) ? steps.at(-1) : undefined;
  const told = final?.type === 'answered' && final.outcome === 'cancelled' ? final : last;
  return [...steps.slice(0, end), told.type === 'answered' ? await settled(served, run, told) : told];
}

/** Whether nobody has settled what was asked, or its time has not run out, when its run went on without it. */
const isLeft = (events: RunEvent[], { questionId }: Asked): boolean =>
  !events.some(
    (event) =>
      ['decided', 'planning_restart'].includes(event.type) ||
      ('how' in event && event.questionId === questionId && event.how !== 'withdrawn'),
  );

/** The events of a run from a number on, and whether more may come. */
async function look({ reprise }: Served, id: string, from: number): Promise<{ events: RunEvent[]; isOpen: boolean }> {
  const until = Date.now() + 10_000;
  for (;;) {
    const { historyLength, status } = await reprise.client.workflow.getHandle(id).describe();
    const isOpen = isOpenStatus(status.name);
    // No worker has done anything yet.
    if (historyLength <= 3) return { events: [], isOpen };
    const events = await ifAnswered(reprise.client, until - Date.now(), () => reprise.getRun(id).events(from));
    if (events !== undefined) return { events, isOpen };
    if (Date.now() >= until) throw new HttpProblem(503, `No worker tells what the run ${id} has done; ask again`);
    await pause(200);
  }
}

async function settled({ reprise }: Served, id: string, step: Extract<Step, { type: 'answered' }>): Promise<Step> {
  const result = await reprise.getRun(id).result();
  return { ...step, answer: answerOf(result), usage: result.usage };
}

async function failureOf(run: Run): Promise<Step> {
  const message = await run.result().then(
    () => 'The run has ended without an answer',
    (error: unknown) => problemOf(error).detail,
  );
  return { type: 'failed', message };
}
