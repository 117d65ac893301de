import type { SSEMessage } from 'hono/streaming';
import { z } from 'zod';
import type { Run, RunEvent } from '../../client.ts';
import type { Feeds } from '../../client/feed.ts';
import { readStore } from '../../store/open-store.ts';
import { ToolError } from '../../tools/tool.ts';
import { Trees } from '../../tools/workspaces/tree.ts';
import { StoredWorkspace } from '../../tools/workspaces/workspace.ts';
import { readEnvironment } from '../../util/environment.ts';
import { inboxOf, resultOf, statsOf } from '../asked-once.ts';
import { HttpProblem } from '../problems.ts';
import type { Served } from '../served.ts';
import { freshId, ownId } from '../start.ts';
import { events } from '../streams.ts';
import { inputOf, startSchema, writtenStart } from './inputs.ts';
import { flag, operation, runId, valid, waitOf, type Operation } from './operation.ts';
import {
  callSchema,
  eventSchema,
  inboxSchema,
  listedSchema,
  questionSchema,
  recordSchema,
  resultSchema,
  stateSchema,
  statsSchema,
  statusSchema,
} from './schemas.ts';

const place = z.coerce.number().int().min(0).default(0);

const started = z.object({ id: z.string() });

const reading = (
  word: string,
  name: string,
  schema: z.ZodType,
  method: 'describe' | 'state' | 'pendingQuestions' | 'pendingCalls',
  what: string,
): Operation =>
  operation({
    method: 'GET',
    path: `/runs/{id}/${word}`,
    name,
    what,
    answers: { 200: ['The same as the method of the library has.', schema] },
    handle: async ({ c, id, served }) => c.json(await served.reprise.getRun(id)[method]()),
  });

/** Reads the files that a run has come to, which `--out` writes. @throws `HttpProblem` where they, or the one meant, are not here */
async function ofFiles<T>(served: Served, id: string, read: (files: StoredWorkspace) => Promise<T>): Promise<T> {
  const { workspace: found } = await served.reprise.getRun(id).show();
  if (found === null) throw new HttpProblem(404, `The run ${id} has no files, or none yet`);
  const { tree } = found;
  const store = readStore(served.home, readEnvironment(process.env));
  try {
    if (store === undefined || (tree !== null && (await store.missingObjects([tree])).length > 0))
      throw new HttpProblem(404, "The files are in the store of the run's worker, and not in that of this server");
    return await read(await StoredWorkspace.open(store, new Trees(store), { mounts: [], tree }, ''));
  } catch (error) {
    // There is no such file, or its path leads out.
    throw error instanceof ToolError ? new HttpProblem(404, error.message) : error;
  } finally {
    await store?.close();
  }
}

export const runOperations: Operation[] = [
  operation({
    method: 'POST',
    path: '/runs',
    name: 'startRun',
    what: 'Starts a run. The same id and input again are the same run.',
    headers: { 'Idempotency-Key': "The run's id, where the body has none." },
    body: startSchema,
    written: writtenStart,
    answers: { 200: ['It was started before.', started], 201: ['It is started.', started] },
    async handle(asked) {
      const { access, body, c, served } = asked;
      const { input, sign } = inputOf(asked, body.type, body.input);
      const named = body.id ?? c.req.header('idempotency-key') ?? freshId(access, body.type);
      const given = valid(runId, named, ['Idempotency-Key']);
      const id = ownId(access, given);
      const { isNew } = await (await served.ready()).startOnce(body.type, id, input, { sign });
      return c.json({ id }, isNew ? 201 : 200, { location: `/api/v1/runs/${encodeURIComponent(id)}` });
    },
  }),
  operation({
    method: 'GET',
    path: '/runs',
    name: 'listRuns',
    what: 'The newest runs, as `reprise list --json` prints them.',
    query: z.object({ open: flag, limit: z.coerce.number().int().min(1).max(1000).default(20) }),
    answers: { 200: ['A list.', z.array(listedSchema)] },
    handle: async ({ access: { prefix }, c, query, served }) => c.json(await served.reprise.list({ ...query, prefix })),
  }),
  operation({
    method: 'GET',
    path: '/inbox',
    name: 'listWaiting',
    what: 'All that waits for a person, as `reprise inbox --json` prints it. The header Reprise-Silent names runs that did not tell.',
    answers: { 200: ['A list.', z.array(inboxSchema)] },
    async handle({ access, c, served }) {
      const { silent, waiting } = await inboxOf(served, access);
      if (silent.length > 0) c.header('reprise-silent', silent.map(encodeURIComponent).join(', '));
      return c.json(waiting);
    },
  }),
  operation({
    method: 'GET',
    path: '/stats',
    name: 'getStats',
    what: 'Restarts, their gains and costs over all runs, as `reprise stats --json` prints them.',
    answers: { 200: ['The figures.', statsSchema] },
    async handle({ access, c, served }) {
      if (access.prefix !== '') throw new HttpProblem(403, 'This token sees its own runs alone');
      return c.json(await statsOf(served.reprise));
    },
  }),
  operation({
    method: 'GET',
    path: '/runs/{id}',
    name: 'showRun',
    what: 'All that a run has done, as `reprise show --json` prints it; with `prompts` what models were sent.',
    query: z.object({ prompts: flag }),
    answers: { 200: ['The record of the run.', recordSchema] },
    handle: async ({ c, id, query, served }) =>
      c.json(await served.reprise.getRun(id).show({ home: served.home, ...query })),
  }),
  reading(
    'status',
    'getStatus',
    statusSchema,
    'describe',
    'The workflow type and the status of a run, without asking its worker.',
  ),
  reading('state', 'getState', stateSchema, 'state', 'The run at a glance: the query `state`.'),
  reading(
    'questions',
    'listQuestions',
    z.array(questionSchema),
    'pendingQuestions',
    'What waits for a person: the query `pendingQuestions`.',
  ),
  reading(
    'calls',
    'listCalls',
    z.array(callSchema),
    'pendingCalls',
    'The calls of models and tools that are under way.',
  ),
  operation({
    method: 'GET',
    path: '/runs/{id}/result',
    name: 'getResult',
    what: "The workflow's result. A run that has failed has a problem instead.",
    query: z.object({ wait: waitOf(0) }),
    answers: {
      200: ['The result.', resultSchema],
      202: ['It still runs.', started.extend({ status: z.literal('running') })],
    },
    async handle({ c, id, query: { wait }, served }) {
      const run = served.reprise.getRun(id);
      const signal = AbortSignal.any([AbortSignal.timeout(wait * 1000), c.req.raw.signal]);
      const isWanted = wait > 0 || !(await run.isOpen());
      try {
        if (isWanted) return c.json(await (wait > 0 ? resultOf(served.reprise, id, signal) : run.result()));
      } catch (error) {
        if (wait === 0 || !signal.aborted) throw error;
      }
      return c.json({ id, status: 'running' }, 202);
    },
  }),
  operation({
    method: 'GET',
    path: '/runs/{id}/files',
    name: 'listFiles',
    what: 'The files that belong to the answer.',
    answers: {
      200: ['A list.', z.array(z.object({ path: z.string(), bytes: z.int(), executable: z.boolean() }))],
    },
    async handle({ c, id, served }) {
      const files = await ofFiles(served, id, async (workspace) => workspace.files());
      return c.json(files.map(({ bytes, executable, path }) => ({ path, bytes, executable })));
    },
  }),
  operation({
    method: 'GET',
    path: '/runs/{id}/files/{path}',
    name: 'getFile',
    what: 'One of these files. Its path may have slashes.',
    answers: { 200: 'The content, to be saved.' },
    types: ['application/octet-stream'],
    async handle({ c, id, served }) {
      const path = c.req.param('path') ?? '';
      const content = await ofFiles(served, id, (workspace) => workspace.read(path));
      const name = encodeURIComponent(path.split('/').at(-1) ?? '').replaceAll(/['()*]/g, escape);
      return c.body(Uint8Array.from(content), 200, {
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename*=UTF-8''${name}`,
      });
    },
  }),
  operation({
    method: 'GET',
    path: '/runs/{id}/events',
    name: 'followRun',
    what:
      'The events behind `after`. As a stream of server-sent events, all to come too: messages without a name, whose id is ' +
      '`seq`. Besides there are those named `text` (with `text`), `trouble` (nothing new can be told, and why) and at last `end`.',
    query: z.object({ after: place, text: flag }),
    headers: { 'Last-Event-ID': 'Goes on behind it, on whichever server; takes precedence over `after`.' },
    answers: {
      200: ['A list, or a stream.', z.array(eventSchema)],
      204: 'The run has ended, and there is nothing behind Last-Event-ID.',
    },
    types: ['text/event-stream'],
    async handle({ c, id, query: { after, text }, served: { feeds, reprise } }) {
      if (!c.req.header('accept')?.includes('text/event-stream'))
        return c.json(await eventsAfter(reprise.getRun(id), after));
      const last = c.req.header('last-event-id');
      const from = last === undefined ? after : valid(place, last, ['Last-Event-ID']);
      // What is refused is so before a stream begins, which has its status then.
      const { ended, events: seen } = await feeds.seen(id);
      // By this a browser's EventSource stops connecting again (https://html.spec.whatwg.org/multipage/server-sent-events.html).
      if (last !== undefined && ended?.status !== undefined && (seen.at(-1)?.seq ?? 0) <= from)
        return c.body(null, 204);
      return events(c, (signal) => messages(feeds, id, from, text, signal));
    },
  }),
];

async function* messages(
  feeds: Feeds,
  id: string,
  after: number,
  text: boolean,
  signal: AbortSignal,
): AsyncGenerator<SSEMessage> {
  for await (const item of feeds.follow(id, { after, text, signal })) {
    if (item.type === 'event') yield { id: String(item.event.seq), data: textOf(item.event) };
    else {
      const { type, ...fields } = item;
      yield { event: type, data: JSON.stringify(fields) };
    }
  }
}

const texts = new WeakMap<RunEvent, string>();

/** An event as JSON, which is made once for all who follow the run. */
function textOf(event: RunEvent): string {
  const text = texts.get(event) ?? JSON.stringify(event);
  texts.set(event, text);
  return text;
}

/** The events of a run so far, through all runs that it continues as. @throws `HttpProblem` where nobody tells */
async function eventsAfter(run: Run, after: number): Promise<RunEvent[]> {
  for await (const snapshot of run.watch()) {
    if (snapshot.trouble !== undefined) throw new HttpProblem(503, snapshot.trouble.message);
    return snapshot.events.filter(({ seq }) => seq > after);
  }
  return [];
}
