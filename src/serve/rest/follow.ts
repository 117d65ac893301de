import type { SSEMessage } from 'hono/streaming';
import { z } from 'zod';
import type { Run, RunEvent } from '../../client.ts';
import type { Feeds } from '../../client/feed.ts';
import { HttpProblem } from '../problems.ts';
import { events } from '../streams.ts';
import { flag, operation, valid } from './operation.ts';
import { eventSchema } from './schemas.ts';

const place = z.coerce.number().int().min(0).default(0);

/** The events of a run. */
export const followOperation = operation({
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
    if (last !== undefined && ended?.status !== undefined && (seen.at(-1)?.seq ?? 0) <= from) return c.body(null, 204);
    return events(c, (signal) => messages(feeds, id, from, text, signal));
  },
});

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
