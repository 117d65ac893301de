import { afterEach, describe, expect, inject, test, vi } from 'vitest';
import { connect, newRunId, type Reprise, type RunEvent } from '../../src/client.ts';
import { Feeds, type FeedItem, type FeedOptions } from '../../src/client/feed.ts';
import { sharedRunning, type SharedRunning } from '../support/running.ts';
import { answer, teamOf, teamScript } from '../support/team-script.ts';

const config = teamOf(['agent_a', 'agent_b'], { type: 'openai' });

const shared = sharedRunning();

let cleanUp: Array<() => Promise<unknown> | void> = [];
afterEach(async () => {
  for (const step of cleanUp.toReversed()) await step();
  cleanUp = [];
});

interface Open {
  set: SharedRunning;
  reprise: Reprise;
  feeds: Feeds;
}

async function open(script = teamScript(), options: FeedOptions = { everyMs: 50 }): Promise<Open> {
  const set = shared(script);
  const reprise = await connect({ address: inject('temporal').address, taskQueue: set.taskQueue });
  const feeds = new Feeds(reprise, options);
  cleanUp.push(() => reprise.close());
  cleanUp.push(() => feeds.close());
  return { set, reprise, feeds };
}

/** All that a reader is told, until the end. */
async function all(items: AsyncIterable<FeedItem>): Promise<FeedItem[]> {
  const told: FeedItem[] = [];
  for await (const item of items) told.push(item);
  return told;
}

const eventsIn = (items: FeedItem[]): RunEvent[] =>
  items.flatMap((item) => (item.type === 'event' ? [item.event] : []));

/** Seqs from one number to another. */
const seqs = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('a thousand readers of a run cost the server as much as one, and each is told every event once', async () => {
  const release = Promise.withResolvers<void>();
  const { reprise, feeds } = await open(
    teamScript({
      answer: async ({ agent }) => {
        await release.promise;
        return answer(`Answer of ${agent}.`);
      },
    }),
  );
  const describes = vi.spyOn(reprise.client.workflowService, 'describeWorkflowExecution');
  const run = await reprise.startOrchestration({ task: 'Do it.', config });
  const readings = Array.from({ length: 1000 }, (_, index) => all(feeds.follow(run.id, { after: index % 3 })));
  await expect.poll(() => describes.mock.calls.length).toBeGreaterThan(3);
  const before = describes.mock.calls.length;
  const startedAt = performance.now();
  release.resolve();
  const told = await Promise.all(readings);
  // Each look takes 50 ms at least.
  expect(describes.mock.calls.length - before).toBeLessThanOrEqual((performance.now() - startedAt) / 50 + 1);
  expect(feeds.open).toBe(1);
  const { events: count } = await run.result();
  for (const [index, items] of told.entries()) {
    expect(eventsIn(items).map(({ seq }) => seq)).toEqual(seqs((index % 3) + 1, count));
    expect(items.at(-1)).toEqual({ type: 'end', status: 'completed' });
  }
  describes.mockRestore();
});

test('a text comes as it is written, and in whole to who comes late', async () => {
  const sentence = 'A long answer. ';
  const { feeds, reprise } = await open(
    teamScript({
      present: () => ({ text: sentence.repeat(40), pace: 50 }),
    }),
  );
  const run = await reprise.startOrchestration({ task: 'Do it.', config: teamOf(['agent_a'], { type: 'openai' }) });
  let text = '';
  const texts = async (): Promise<string> => {
    let late = '';
    for await (const item of feeds.follow(run.id, { text: true })) {
      if (item.type !== 'text' || item.purpose !== 'present') continue;
      expect(item.offset).toBe(0);
      late = item.text;
      break;
    }
    return late;
  };
  let late: Promise<string> | undefined;
  for await (const item of feeds.follow(run.id, { text: true })) {
    if (item.type !== 'text' || item.purpose !== 'present') continue;
    expect(item).toMatchObject({ agent: 'agent_a', offset: text.length });
    text += item.text;
    late ??= texts();
  }
  expect(text.length).toBeGreaterThan(sentence.length * 3);
  expect(sentence.repeat(40).startsWith(text)).toBe(true);
  expect(text.startsWith((await late) ?? 'none')).toBe(true);
});

test('a run that nobody reads any more is followed for a moment, and is there again for who comes later', async () => {
  const { feeds, reprise } = await open(teamScript({ answer: () => new Promise(() => {}) }), {
    everyMs: 50,
    lingerMs: 100,
  });
  const run = await reprise.startOrchestration({ task: 'Wait.', config });
  cleanUp.push(() => run.terminate());
  const first = async (): Promise<FeedItem | undefined> => {
    const leave = new AbortController();
    let seen: FeedItem | undefined;
    for await (const item of feeds.follow(run.id, { signal: leave.signal })) {
      seen ??= item;
      leave.abort();
    }
    return seen;
  };
  expect(await first()).toMatchObject({ type: 'event', event: { seq: 1 } });
  expect(feeds.open).toBe(1);
  await expect.poll(() => feeds.open).toBe(0);
  expect(await first()).toMatchObject({ type: 'event', event: { seq: 1 } });
});

test('whoever waits for something new can leave, and all are let go when the feeds are closed', async () => {
  const { feeds, reprise } = await open(teamScript({ answer: () => new Promise(() => {}) }));
  const run = await reprise.startOrchestration({ task: 'Wait.', config });
  cleanUp.push(() => run.terminate());
  const leave = new AbortController();
  const leaving = all(feeds.follow(run.id, { signal: leave.signal, after: 1000 }));
  const staying = all(feeds.follow(run.id, { after: 1000 }));
  await expect.poll(() => feeds.open).toBe(1);
  leave.abort();
  expect(await leaving).toEqual([]);
  feeds.close();
  expect(await staying).toEqual([]);
  expect(feeds.open).toBe(0);
});

test('a run that there is not is refused, and may be there when it is followed again', async () => {
  const { feeds, reprise } = await open();
  const id = newRunId('feed');
  await expect(all(feeds.follow(id))).rejects.toThrow(/not found/i);
  await reprise.startOrchestration({ task: 'Do it.', config }, { id });
  expect((await all(feeds.follow(id))).at(-1)).toEqual({ type: 'end', status: 'completed' });
});

test('of a run that has ended without a worker to tell its events it is said why, and once one is there, they are told', async () => {
  const { feeds, reprise, set } = await open();
  const run = await reprise.startOrchestration({ task: 'Do it.', config });
  const { events: count } = await run.result();
  await set.replaceWorker({}, `${set.taskQueue}-elsewhere`);
  const told: FeedItem[] = [];
  for await (const item of feeds.follow(run.id)) {
    told.push(item);
    if (item.type === 'trouble') await set.replaceWorker({});
  }
  const [trouble, ...events] = told;
  expect(trouble?.type).toBe('trouble');
  expect(eventsIn(events).map(({ seq }) => seq)).toEqual(seqs(1, count));
});

describe('a run that continues as new', () => {
  test('is followed from run to run, and from any of its events on', async () => {
    const { set, reprise, feeds } = await open();
    const workflowId = newRunId('chained');
    const options = { taskQueue: set.taskQueue, workflowId, args: [{ runs: 3 }] };
    const { workflow } = reprise.client;
    await workflow.start('chained', options);
    const told: FeedItem[] = [];
    for await (const item of feeds.follow(workflowId)) {
      told.push(item);
      if (item.type === 'event' && item.event.type === 'notice' && item.event.text.startsWith('begin'))
        await workflow.getHandle(workflowId).signal('goOn');
    }
    expect(eventsIn(told).map(({ seq }) => seq)).toEqual(seqs(1, 6));
    feeds.close();
    expect(eventsIn(await all(feeds.follow(workflowId, { after: 3 }))).map(({ seq }) => seq)).toEqual(seqs(4, 6));
  });

  test('and a run that begins anew under its id is another one', async () => {
    const { set, reprise, feeds } = await open(undefined, { everyMs: 500 });
    const workflowId = newRunId('chained');
    const options = { taskQueue: set.taskQueue, workflowId, args: [{ runs: 1 }] };
    const { workflow } = reprise.client;
    await workflow.start('chained', options);
    const told: FeedItem[] = [];
    for await (const item of feeds.follow(workflowId)) {
      told.push(item);
      if (told.length > 1) continue;
      await workflow.getHandle(workflowId).signal('goOn');
      await workflow.getHandle(workflowId).result();
      await workflow.start('chained', options);
    }
    expect(told.map(({ type }) => type)).toEqual(['event', 'end']);
    await workflow.getHandle(workflowId).terminate();
  });
});
