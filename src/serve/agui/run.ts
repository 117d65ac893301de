import { EventType, PROTOCOL_VERSION, type Event } from '@ag-ui/core';
import { Hono } from 'hono';
import { RunExistsError } from '../../client.ts';
import type { RunEvent } from '../../protocol/events.ts';
import { hashOf } from '../../util/ids.ts';
import type { Access } from '../access.ts';
import { namedConfig } from '../configs.ts';
import { bodyJson } from '../door.ts';
import { HttpProblem, problemOf } from '../problems.ts';
import type { Served, ServeEnv } from '../served.ts';
import { assertReached, derivedId, inputOf } from '../start.ts';
import { events } from '../streams.ts';
import { chainOf, follow, onceAnswered, resume, type Begin, type Thread } from './follow.ts';
import { askedIn, interruptId, type Asked } from './interrupts.ts';

/** AG-UI 1.0: `POST /NAME` runs the configuration NAME, and answers with a stream of events. */
export const aguiRoutes = (served: Served): Hono<ServeEnv> =>
  new Hono<ServeEnv>().post('/:name', async (c) => {
    const asked = askedIn(await bodyJson(c));
    const run = aguiRun(served, c.get('access'), c.req.param('name'), asked);
    return events(c, async function* (signal) {
      for await (const event of run(signal)) yield { data: JSON.stringify(event) };
    });
  });

/**
 * Checks what is to be run, and makes the function that runs it. A team and a single agent keep a thread as a session; a
 * research or a plan is a run for each message of the person. The run goes on when nobody reads its events. @throws `HttpProblem`
 */
function aguiRun(served: Served, access: Access, name: string, asked: Asked) {
  const config = namedConfig(served.configs, name, access);
  const isSession = config === undefined || config.kind === 'team' || config.kind === 'agent';
  const { last, resume: entries, runId, text, threadId } = asked;
  if ((entries.length === 0 || !isSession) && text === '')
    throw new HttpProblem(422, 'messages: must have one of the user (role: "user") with a text');
  const id = derivedId(access, 'agui', JSON.stringify([name, threadId, ...(isSession ? [] : [last?.id])]));
  assertReached(access, id);
  // Whoever reads the stream may be asked.
  const attended = { attended: true, ...config?.content };
  const start = async (thread: Thread): Promise<Begin> => {
    if (isSession) return startTurn(thread, attended, asked);
    const { input, type } = inputOf(served, access, { name, text });
    try {
      await thread.reprise.startOnce(type, id, { ...input, config: attended });
    } catch (error) {
      // It is the same message, though the configuration or what the application tells has changed since.
      if (!(error instanceof RunExistsError)) throw error;
    }
    return { after: 0 };
  };
  return async function* (signal: AbortSignal): AsyncGenerator<Event> {
    yield { type: EventType.RUN_STARTED, threadId, runId, protocolVersion: PROTOCOL_VERSION };
    try {
      const thread = { reprise: await served.ready(), feeds: served.feeds, id, signal };
      const ending = entries.length > 0 ? yield* resume(thread, entries) : yield* begun(thread, await start(thread));
      yield { type: EventType.RUN_FINISHED, threadId, runId, ...ending };
    } catch (error) {
      if (signal.aborted) return;
      const { detail, status } = problemOf(error);
      if (status === 500) served.say(`POST /agui/${name}: ${(error as Error).stack ?? ''}`);
      yield { type: EventType.RUN_ERROR, message: detail, code: String(status) };
    }
  };
}

async function* begun(thread: Thread, begin: Begin): ReturnType<typeof follow> {
  const { chain = '' } = (await chainOf(thread)) ?? {};
  return yield* follow(thread, { chain, begin, answered: new Set(), isOver: false });
}

/**
 * Has the thread's session take a turn, unless it has taken it already: the update's id makes it one as long as the session's
 * run goes on, and its events say so after that.
 *
 * @throws `HttpProblem` where something else waits for a person first, or nothing is asked
 */
async function startTurn(thread: Thread, config: object, { history, isAnswered, runId, text }: Asked): Promise<Begin> {
  const { id, reprise, signal } = thread;
  const turn = `agui-${hashOf(runId).slice(0, 24)}`;
  const present = await chainOf(thread);
  const told = present === undefined ? [] : await eventsOf(thread);
  if (told.some((event) => event.type === 'turn' && event.id === turn)) return { turn };
  if (present?.isOpen) await assertNothingWaits(thread, present.chain, told.at(-1)?.seq ?? 0);
  if (isAnswered) throw new HttpProblem(422, "messages: the last one is answered already; the next one is the user's");
  const session = reprise.getSession(id, { config, ...(history.length > 0 && { history }) });
  await session.begin(text, turn, signal);
  return { turn };
}

/** All events so far, once a worker tells them. */
async function eventsOf({ id, reprise, signal }: Thread): Promise<RunEvent[]> {
  for await (const { events, trouble } of reprise.getRun(id).watch()) {
    signal.throwIfAborted();
    if (trouble === undefined) return events;
  }
  return [];
}

/** A new message does not pass by what the thread waits for. @param seq of the last event */
async function assertNothingWaits(thread: Thread, chain: string, seq: number): Promise<void> {
  const pending = await onceAnswered(thread, () => thread.reprise.getRun(thread.id).pendingQuestions());
  if (pending.length === 0) return;
  const list = pending.map(({ question, ...each }) => `${interruptId({ ...each, seq, chain })}: ${question}`);
  throw new HttpProblem(409, `This thread waits for a person; "resume" answers it first:\n${list.join('\n')}`);
}
