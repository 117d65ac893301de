import { EventSourceParserStream, type EventSourceMessage } from 'eventsource-parser/stream';
import { expect, test } from 'vitest';
import type { RunEvent } from '../../src/client.ts';
import { askingTeam, asks } from '../support/asking.ts';
import { Dice } from '../support/dice.ts';
import { sharedRunning } from '../support/running.ts';
import { serving, type Serving } from '../support/serving.ts';

const running = sharedRunning();

/** The messages of one connection; undefined where there are none any more. */
async function connected(
  server: Serving,
  path: string,
  last: string | undefined,
  signal?: AbortSignal,
): Promise<AsyncIterable<EventSourceMessage> | undefined> {
  const headers = { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) };
  const { body, status } = await server.fetch(path, { headers, ...(signal && { signal }) });
  if (status === 204) return undefined;
  expect(status).toBe(200);
  return body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
}

test.each([1, 2, 3])('who follows a run over servers that die sees each event once (seed %i)', async (seed) => {
  const run = running(asks('First?', 'Second?', 'Third?'));
  const servers = [await serving(run), await serving(run)];
  const ended: Serving[] = [];
  try {
    const [first] = servers as [Serving];
    const body = JSON.stringify({ type: 'orchestration', input: { task: 'Build', config: askingTeam(600) } });
    const { id } = (await (await first.fetch('/api/v1/runs', { method: 'POST', body })).json()) as { id: string };
    const path = `/api/v1/runs/${id}/events?text`;

    /** Follows to the end, and comes again to any server wherever a connection ends. */
    const follow = async (dice: Dice): Promise<number[]> => {
      const seen: number[] = [];
      for (let last: string | undefined; ;) {
        const gone = new AbortController();
        let left = dice.whole(1, 6);
        try {
          const messages = await connected(dice.one(servers), path, last, gone.signal);
          if (messages === undefined) return seen;
          for await (const { event, id: seq } of messages) {
            if (event === 'end') return seen;
            if (seq !== undefined) seen.push(Number((last = seq)));
            if ((left -= 1) === 0) gone.abort();
          }
        } catch (error) {
          // The server was ended, or the reader has left.
          if (!(error instanceof TypeError || (error as Error).name === 'AbortError')) throw error;
        }
      }
    };

    const answering = async (): Promise<void> => {
      const dice = new Dice(seed);
      for (let answered = 0; answered < 3; answered++) {
        const at = dice.whole(0, 1);
        const dying = servers[at]!;
        const waiting = async () => (await (await dying.fetch(`/api/v1/runs/${id}/questions`)).json()) as object[];
        await expect.poll(waiting).toHaveLength(1);
        servers[at] = await serving(run);
        ended.push(dying);
        await dying.kill();
        const answer = { method: 'POST', body: JSON.stringify({ answer: `Answer ${answered}` }) };
        expect((await servers[at].fetch(`/api/v1/runs/${id}/answer`, answer)).status).toBe(200);
      }
    };
    const [, ...all] = await Promise.all([
      answering(),
      ...Array.from({ length: 6 }, (_, index) => follow(new Dice(seed * 100 + index))),
    ]);
    const events = (await (await servers[0]!.fetch(`/api/v1/runs/${id}/events`)).json()) as RunEvent[];
    expect(events.at(-1)?.type).toBe('final');
    for (const seen of all) expect(seen).toEqual(events.map(({ seq }) => seq));
  } finally {
    for (const server of [...servers, ...ended]) await server[Symbol.asyncDispose]();
  }
});

test('a stream ends with `end`, and who comes again is told by 204 to stay away; one of no run is 404', async () => {
  const server = await serving(running(asks()));
  try {
    const body = JSON.stringify({ type: 'orchestration', input: { task: 'Build', config: askingTeam(600) } });
    const { id } = (await (await server.fetch('/api/v1/runs', { method: 'POST', body })).json()) as { id: string };
    const path = `/api/v1/runs/${id}/events`;
    const told: EventSourceMessage[] = [];
    for await (const message of (await connected(server, path, undefined))!) told.push(message);
    const last = told.pop();
    expect([last?.event, JSON.parse(last?.data ?? '')]).toEqual(['end', { status: 'completed' }]);
    expect(told.map((each) => [each.event, each.id])).toEqual(told.map((_, index) => [undefined, `${index + 1}`]));
    expect(told.map(({ data }) => JSON.parse(data) as object)).toEqual(await (await server.fetch(path)).json());
    expect(await connected(server, path, told.at(-1)?.id)).toBeUndefined();
    const again: EventSourceMessage[] = [];
    for await (const message of (await connected(server, path, told.at(-3)?.id))!) again.push(message);
    expect(again.map((each) => each.id)).toEqual([...told.slice(-2).map((each) => each.id), undefined]);
    const headers = { accept: 'text/event-stream' };
    expect((await server.fetch('/api/v1/runs/nobody/events', { headers })).status).toBe(404);
  } finally {
    await server[Symbol.asyncDispose]();
  }
});
