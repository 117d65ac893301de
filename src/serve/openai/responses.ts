import type { Context } from 'hono';
import { z } from 'zod';
import type { OrchestrationInput } from '../../client.ts';
import { beginningOf, readHistory } from '../../client/show/history.ts';
import { questionIn } from '../../client/show/show.ts';
import { decodeAll } from '../../encryption/codec.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import { bodyJson } from '../door.ts';
import { HttpProblem } from '../problems.ts';
import type { Served, ServeEnv } from '../served.ts';
import { assertReached } from '../start.ts';
import { events, reserveStream } from '../streams.ts';
import { questionText } from './asking.ts';
import { entries, requestIn, type Attached, type Entry, type Request } from './conversation.ts';
import { checked, common, offeredIn, ParameterProblem, sift } from './parameters.ts';
import { idOf, markOf, placeIn, type Place } from './places.ts';
import { ResponseLog, type Head, type StreamEvent } from './response.ts';
import { begin, follow, isEnd, orFailed, stepsSoFar } from './runs.ts';

interface At {
  served: Served;
  c: Context<ServeEnv>;
}

const body = common.extend({
  input: entries,
  instructions: z.string().max(100_000).nullable().default(null),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullable().default(null),
});

type Kept = Omit<Head, 'place' | 'createdAt'>;

/** `POST /v1/responses` */
export async function create({ c, served }: At): Promise<Response> {
  const asked = checked(body, await bodyJson(c));
  const { background, input, instructions, metadata, model, previous_response_id: previous, store } = asked;
  if (background && store === false) throw new ParameterProblem('background', 'what is not stored cannot be polled');
  const said = { model, previous, instructions, metadata: metadata ?? {} };
  const kept: Kept = { ...said, background: background === true, store: store !== false, tools: offeredIn(asked) };
  sift(c, asked);
  const request = await wanted({ c, served }, input, kept);
  // Only a run that was begun here can be told of here.
  if (request.asked !== undefined) await logOf({ c, served }, request.asked, false);
  const reserved = asked.stream ? reserveStream(c) : undefined;
  const begun = async () => logOf({ c, served }, await begin(served, c, request, model, { openai: kept }), false);
  const log = await begun().catch((error: unknown) => {
    reserved?.release();
    throw error;
  });
  if (reserved !== undefined) return reserved.stream((signal) => streamed(served, log, signal));
  if (background) return c.json({ ...log.response, status: 'queued' });
  for await (const step of follow(served, log.head.place, c.req.raw.signal)) log.take(step);
  return c.json(log.response);
}

/** `GET /v1/responses/ID` */
export async function retrieve(at: At): Promise<Response> {
  const { c, served } = at;
  const log = await logOf(at);
  if (c.req.query('stream') !== 'true') {
    const steps = await stepsSoFar(served, log.head.place);
    for (const step of steps) log.take(step);
    return c.json({ ...log.response, ...(steps.length === 0 && { status: 'queued' }) });
  }
  const after = Number(c.req.query('starting_after') ?? -1);
  if (!Number.isInteger(after)) throw new ParameterProblem('starting_after', 'the sequence_number of an event');
  return events(c, (signal) => streamed(served, log, signal, after));
}

/** `POST /v1/responses/ID/cancel`. To cancel what has ended changes nothing. */
export async function cancel(at: At): Promise<Response> {
  const { c, served } = at;
  const log = await logOf(at);
  const { place } = log.head;
  const run = served.reprise.getRun(place.run);
  if (await run.isOpen()) await run.cancel();
  // What it has asked does not end it now.
  const toItsEnd = served.feeds.follow(place.run, { after: place.seq, signal: AbortSignal.timeout(10_000) });
  for await (const item of toItsEnd) if (item.type === 'end') break;
  for (const step of await stepsSoFar(served, place)) log.take(step);
  return c.json(log.response);
}

/** How many items a page of a list has at most, and how many references a request. */
const mostItems = 100;

/** `GET /v1/responses/ID/input_items?order=asc|desc&limit=N&after=ID` */
export async function inputItems(at: At): Promise<Response> {
  const { place } = (await logOf(at)).head;
  const { conversation } = await inputOf(at.served, place);
  const items = conversation.map(({ content: text, role }, index) => ({
    type: 'message',
    id: `${idOf('msg', place)}-${index}`,
    status: 'completed',
    role,
    content: [role === 'assistant' ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text }],
  }));
  const { after, limit = 20, order } = at.c.req.query();
  if (!(Number.isInteger(Number(limit)) && Number(limit) > 0 && Number(limit) <= mostItems))
    throw new ParameterProblem('limit', `a whole number from 1 to ${mostItems}`);
  const all = order === 'asc' ? items : items.toReversed();
  const from = all.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && from === 0) throw new ParameterProblem('after', 'the id of an item of this response');
  const data = all.slice(from, from + Number(limit));
  const hasMore = from + data.length < all.length;
  return at.c.json({ object: 'list', data, first_id: data[0]?.id, last_id: data.at(-1)?.id, has_more: hasMore });
}

/**
 * A response before its first step, by itself that of the path. @param isStored whether one that was not to be stored is not
 * found @throws `HttpProblem`, `WorkflowNotFoundError`
 */
async function logOf({ c, served }: At, place = placeIn('resp', c.req.param('id') ?? ''), isStored = true) {
  const missing = new HttpProblem(404, 'There is no response of this id');
  if (place === undefined) throw missing;
  assertReached(c.get('access'), place.run);
  const { memo, startTime } = await served.reprise.client.workflow.getHandle(place.run).describe();
  const kept = memo?.['openai'] as Kept | undefined;
  if (kept === undefined || (isStored && !kept.store)) throw missing;
  c.header('x-reprise-run', place.run);
  const createdAt = Math.floor(startTime.getTime() / 1000);
  return new ResponseLog({ ...kept, place, createdAt }, (each) => markOf(served.owner, each));
}

/** @param after the number of the last event that the reader has seen; -1: none */
async function* streamed(served: Served, log: ResponseLog, signal: AbortSignal, after = -1) {
  const unseen = (all: StreamEvent[]) =>
    all.flatMap((each) => (each.sequence_number > after ? [{ event: each.type, data: JSON.stringify(each) }] : []));
  yield* unseen(log.begin());
  const { place } = log.head;
  const told = async function* () {
    const isOpen = await served.reprise.getRun(place.run).isOpen();
    yield* isOpen ? follow(served, place, signal) : await stepsSoFar(served, place);
  };
  for await (const step of orFailed(told())) yield* unseen(log.take(step));
  yield { data: '[DONE]' };
}

/** What is asked for, with the conversation that it goes on with. @throws `HttpProblem` */
async function wanted(at: At, input: Entry[], { instructions, previous }: Kept): Promise<Request> {
  if (input.filter(({ role }) => role === 'reference').length > mostItems)
    throw new ParameterProblem('input', `at most ${mostItems} references`);
  const known = await Promise.all(input.map((entry) => recalled(at, entry)));
  const request = requestIn(known, at.served.owner, 'input');
  if (request.asked !== undefined) return request;
  const before = previous === null ? undefined : await earlier(at, previous);
  if (before?.asked !== undefined) return { text: request.text, asked: before.asked };
  const own: EarlierMessage[] = instructions === null ? [] : [{ role: 'system', content: instructions }];
  return {
    ...request,
    history: [...own, ...(before?.conversation ?? []), ...request.history],
    attachments: [...(before?.attachments ?? []), ...request.attachments],
  };
}

/** The message that a reference stands for; references to anything else are of no use to agents. */
async function recalled(at: At, entry: Entry): Promise<Entry> {
  const place = entry.role === 'reference' ? placeIn('msg', entry.id) : undefined;
  if (place === undefined) return entry;
  await logOf(at, place);
  const end = (await stepsSoFar(at.served, place)).find(isEnd);
  if (end?.type !== 'answered' && end?.type !== 'asked') return entry;
  // By the mark in its text, what is said to a question is known to be its answer.
  const mark = (seq: number): string => markOf(at.served.owner, { run: place.run, seq });
  const text = end.type === 'answered' ? end.answer : questionText(end.asked, mark(end.seq));
  return { role: 'assistant', text, attachments: [] };
}

/** The conversation that an earlier response has ended, or the place of the question that it has ended with. @throws `HttpProblem` */
async function earlier(at: At, id: string) {
  const { head } = await logOf(at, placeIn('resp', id));
  const { place } = head;
  const end = (await stepsSoFar(at.served, place)).find(isEnd);
  if (end === undefined)
    throw new HttpProblem(409, `The response ${id} is in progress; go on with it when it has ended`);
  const { attachments, conversation } = await inputOf(at.served, place);
  // Instructions hold for one response alone. Research and plans have them in their text.
  const said = conversation.slice(head.instructions !== null && conversation[0]?.role === 'system' ? 1 : 0);
  if (end.type === 'answered') said.push({ role: 'assistant', content: end.answer });
  const asked: Place | undefined = end.type === 'asked' ? { run: place.run, seq: end.seq } : undefined;
  return { asked, conversation: said, attachments };
}

/** What a run was told: what was said before, and what was wanted. No worker is needed. */
async function inputOf({ reprise: { client } }: Served, { run: workflowId }: Place) {
  const converter = client.options.loadedDataConverter;
  const begun = await decodeAll(await beginningOf(client.workflow, { workflowId }), converter);
  const { input } = readHistory(begun, converter.payloadConverter);
  const { attachments = [], history = [] } = input as Pick<OrchestrationInput, 'attachments' | 'history'>;
  const content = questionIn(input) ?? '';
  const conversation: EarlierMessage[] = [...history, { role: 'user', content }];
  // Whoever has started it by a command may have named files of the machine, which are not for this client to have read again.
  const own = attachments.filter((each): each is Attached => typeof each === 'object' && 'data' in each);
  return { conversation, attachments: own };
}
