import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PendingCall, RunEvent } from '../../src/client.ts';
import type { LivePiece } from '../../src/store/store.ts';
import { TextReader, itemsOf, SharedRun, type FeedItem, type FeedReader } from '../../src/client/shared-run.ts';

/** How much of a text a heartbeat carries here, in characters. */
const carried = 10;

/** A run that is made up, with one look at it after another, and a store that is made up too. */
class MadeUpRun {
  readonly stored = new Map<string, LivePiece[]>();
  readonly shared = new SharedRun({
    read: async (key, attempt, offset) =>
      (this.stored.get(key) ?? []).filter(
        (piece) => piece.attempt > attempt || (piece.attempt === attempt && piece.offset >= offset),
      ),
  });
  readonly events: RunEvent[] = [];
  /** What each call has written in its present try, by its id, and how often it has begun anew. */
  readonly written = new Map<string, string>();
  readonly #calls = new Map<string, PendingCall>();
  #fresh: RunEvent[] = [];

  event(body: object = { type: 'notice', text: 'Something.' }): void {
    const event = { seq: this.events.length + 1, at: '2026-01-18T17:09:44.000Z', attempt: 1, ...body } as RunEvent;
    this.events.push(event);
    this.#fresh.push(event);
  }

  begin(activityId: string): void {
    if (this.written.has(activityId)) return;
    this.event({ type: 'thinking', agent: `agent of ${activityId}`, purpose: 'answer', activityId, model: 'm' });
    this.written.set(activityId, '');
    this.#calls.set(activityId, { activityId, activity: 'callModel', attempt: 1 });
  }

  write(activityId: string, text: string): void {
    if (this.#calls.has(activityId)) this.written.set(activityId, (this.written.get(activityId) ?? '') + text);
  }

  /** The worker writes to the store what is new. */
  store(): void {
    for (const { activityId, attempt } of this.#calls.values()) {
      const pieces = this.stored.get(`r/${activityId}`) ?? [];
      this.stored.set(`r/${activityId}`, pieces);
      const own = pieces.filter((piece) => piece.attempt === attempt);
      const offset = own.reduce((sum, { text }) => sum + text.length, 0);
      const text = (this.written.get(activityId) ?? '').slice(offset);
      if (text !== '') pieces.push({ attempt, offset, text });
    }
  }

  /** The worker sends heartbeats. */
  beat(): void {
    for (const call of this.#calls.values()) {
      const { attempt } = call;
      const whole = this.written.get(call.activityId) ?? '';
      call.progress = { partial: whole.slice(-carried), characters: whole.length, attempt };
    }
  }

  /** The worker dies, and another one makes the call again. The heartbeat that was the last one stays until the next. */
  again(activityId: string): void {
    const call = this.#calls.get(activityId);
    if (call === undefined) return;
    call.attempt += 1;
    this.written.set(activityId, '');
  }

  finish(activityId: string): void {
    if (this.#calls.delete(activityId)) this.event();
  }

  async look(): Promise<void> {
    const events = this.#fresh;
    this.#fresh = [];
    const calls = structuredClone([...this.#calls.values()]);
    await this.shared.see({ events, calls, runId: 'r', status: 'RUNNING' });
  }

  async trouble(message: string): Promise<void> {
    await this.shared.see({ events: [], calls: [], runId: undefined, status: undefined, trouble: new Error(message) });
  }

  async end(): Promise<void> {
    await this.shared.see({ events: this.#fresh, calls: [], runId: 'r', status: 'COMPLETED' });
    this.#fresh = [];
  }

  /** Those that write at present. */
  get writers(): string[] {
    return [...this.#calls.keys()];
  }
}

/** Reads as many items as it is told to. */
class Reading {
  readonly items: FeedItem[] = [];
  readonly #items: AsyncGenerator<FeedItem>;
  readonly leave = new AbortController();
  hasEnded = false;
  #next: Promise<void> | undefined;

  constructor(run: SharedRun, reader: FeedReader) {
    this.#items = itemsOf(run, { ...reader, signal: this.leave.signal });
  }

  /** Reads at most so many items, as far as they are there. */
  async take(count: number): Promise<void> {
    for (let taken = 0; taken < count && !this.hasEnded; taken++) {
      this.#next ??= this.#readOne();
      await nextTurn();
      if (this.#next !== undefined) return;
    }
  }

  async #readOne(): Promise<void> {
    const { done, value } = await this.#items.next();
    this.#next = undefined;
    if (done) this.hasEnded = true;
    else this.items.push(value);
  }

  get seqs(): number[] {
    return this.items.flatMap((item) => (item.type === 'event' ? [item.event.seq] : []));
  }

  /** What was read of each text, from its last reset on. @throws where a piece does not go on where the one before has ended */
  texts(): Map<string, string> {
    const texts = new Map<string, string>();
    for (const item of this.items) {
      if (item.type !== 'text') continue;
      const known = item.reset ? '' : (texts.get(item.activityId) ?? '');
      if (item.offset !== known.length)
        throw new Error(`A piece at ${item.offset} comes after ${known.length} characters`);
      if (item.agent !== `agent of ${item.activityId}`) throw new Error(`${item.activityId} is of ${item.agent}`);
      texts.set(item.activityId, known + item.text);
    }
    return texts;
  }
}

const shown = (items: FeedItem[]): string[] =>
  items.map((item) => {
    if (item.type === 'event') return `event ${item.event.seq}`;
    if (item.type === 'text') return `${item.reset ? 'again ' : ''}${item.offset} ${item.text}`;
    return item.type === 'trouble' ? item.message : `end ${item.status}`;
  });

const ids = ['1', '2', '3'];
const id = fc.constantFrom(...ids);
const step = fc.oneof(
  fc.record({ do: fc.constantFrom('event' as const, 'store' as const, 'beat' as const, 'look' as const) }),
  fc.record({ do: fc.constantFrom('begin' as const, 'again' as const, 'finish' as const), id }),
  fc.record({ do: fc.constant('write' as const), id, text: fc.string({ maxLength: 30, unit: 'binary' }) }),
  fc.record({ do: fc.constantFrom('trouble' as const, 'read' as const) }),
  fc.record({ do: fc.constant('join' as const), after: fc.nat(5), text: fc.boolean() }),
  fc.record({ do: fc.constantFrom('take' as const, 'leave' as const), reader: fc.nat(5), count: fc.nat(8) }),
);

test('whoever reads, from wherever, however slowly, is told each event and each character once and in order', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 150 }), async (steps) => {
    const run = new MadeUpRun();
    const readings: Array<{ reading: Reading; after: number; text: boolean }> = [];
    for (const each of steps) {
      if (each.do === 'event' || each.do === 'store' || each.do === 'look') await run[each.do]();
      if (each.do === 'beat') {
        // The store has a text long before the heartbeats.
        run.store();
        run.beat();
      }
      if (each.do === 'begin' || each.do === 'again' || each.do === 'finish') run[each.do](each.id);
      if (each.do === 'write') run.write(each.id, each.text);
      if (each.do === 'read') await run.shared.readTexts();
      if (each.do === 'trouble') await run.trouble('away');
      if (each.do === 'join')
        readings.push({ reading: new Reading(run.shared, each), after: each.after, text: each.text });
      const reading = 'reader' in each ? readings[each.reader]?.reading : undefined;
      if (each.do === 'take') await reading?.take(each.count);
      if (each.do === 'leave') reading?.leave.abort();
    }
    run.store();
    await run.look();
    for (const { reading } of readings) await reading.take(1000);
    for (const { reading, text } of readings) {
      const read = reading.texts();
      if (reading.leave.signal.aborted || !text) continue;
      for (const writer of run.writers) {
        const whole = run.written.get(writer);
        if (whole !== '') expect(read.get(writer)).toBe(whole);
      }
    }
    await run.end();
    for (const { reading, after, text } of readings) {
      await reading.take(1000);
      expect(reading.hasEnded).toBe(true);
      if (!text) expect(reading.texts().size).toBe(0);
      const due = run.events.map(({ seq }) => seq).filter((seq) => seq > after);
      const isWhole = !reading.leave.signal.aborted;
      expect(reading.seqs).toEqual(isWhole ? due : due.slice(0, reading.seqs.length));
      if (isWhole) expect(reading.items.at(-1)).toEqual({ type: 'end', status: 'completed' });
    }
  });
  await fc.assert(property, { numRuns: 500 });
});

/** What a reader is told that reads all that there is after each of some steps. */
async function told(run: MadeUpRun, reader: FeedReader, steps: Array<() => void>): Promise<string[]> {
  const reading = new Reading(run.shared, reader);
  for (const each of steps) {
    each();
    run.beat();
    await run.look();
    await reading.take(100);
  }
  return shown(reading.items);
}

async function writing(text: string): Promise<MadeUpRun> {
  const run = new MadeUpRun();
  run.begin('1');
  run.write('1', text);
  run.beat();
  await run.look();
  return run;
}

test.each<[string, (run: MadeUpRun) => Array<() => void>, string[]]>([
  ['is there already is told in whole', () => [() => {}], ['event 1', '0 One']],
  ['grows is told in pieces', (run) => [() => {}, () => run.write('1', ' two')], ['event 1', '0 One', '3  two']],
  ['grows while nobody reads is told in one piece', (run) => [() => run.write('1', 'abc')], ['event 1', '0 Oneabc']],
  [
    'is begun anew by the next try is told again',
    (run) => [() => {}, () => run.again('1'), () => run.write('1', 'Uno')],
    ['event 1', '0 One', 'again 0 Uno'],
  ],
  [
    'has grown by more than a heartbeat carries says by its place that something is lost',
    (run) => [() => {}, () => run.write('1', 'x'.repeat(carried + 1))],
    ['event 1', '0 One', `4 ${'x'.repeat(carried)}`],
  ],
  [
    'ends within a character waits for the rest of it',
    (run) => [() => run.write('1', '\uD83D'), () => run.write('1', '\uDE00!')],
    ['event 1', '0 One', '3 😀!'],
  ],
  [
    'has grown by more is told in whole where the store has it',
    (run) => [() => run.store(), () => (run.write('1', 'x'.repeat(carried + 1)), run.store())],
    ['event 1', '0 One', `3 ${'x'.repeat(carried + 1)}`],
  ],
])('a text that %s', async (_, steps, expected) => {
  const run = await writing('One');
  expect(await told(run, { text: true }, steps(run))).toEqual(expected);
});

test('the text of a call that has ended is told to its end to those who have begun with it, and to nobody else', async () => {
  const run = await writing('One');
  const [slow, late] = [1, 2].map(() => new Reading(run.shared, { text: true }));
  await slow?.take(2);
  run.write('1', ' two');
  run.store();
  run.finish('1');
  await run.look();
  for (const reading of [slow, late]) await reading?.take(100);
  expect(shown(slow?.items ?? [])).toEqual(['event 1', '0 One', '3  two', 'event 2']);
  expect(shown(late?.items ?? [])).toEqual(['event 1', 'event 2']);
});

test('a session that goes on in another run counts its calls anew, and what the earlier ones have written is void', async () => {
  const run = await writing('One');
  const reading = new Reading(run.shared, { text: true });
  await reading.take(100);
  const progress = { partial: 'Two', characters: 3, attempt: 1 };
  const calls = [{ activityId: '1', activity: 'callModel', attempt: 1, progress }];
  await run.shared.see({ events: [], calls, runId: 'r2', status: 'RUNNING' });
  const thinking = { ...run.events[0], seq: 2 } as RunEvent;
  await run.shared.see({ events: [thinking], calls, runId: 'r2', status: 'RUNNING' });
  await reading.take(100);
  expect(shown(reading.items)).toEqual(['event 1', '0 One', 'event 2', 'again 0 Two']);
});

test('a tool that shows what it has so far names its agent itself, and a model waits for the event that names it', async () => {
  const { shared } = new MadeUpRun();
  const call = (agent?: string): PendingCall => ({
    activityId: agent ?? 'model',
    activity: '',
    attempt: 1,
    progress: { partial: '50 %', characters: 4, attempt: 1, ...(agent !== undefined && { agent }) },
  });
  await shared.see({ events: [], calls: [call('agent_b'), call()], runId: 'r', status: 'RUNNING' });
  expect([...new TextReader(shared.texts).all()]).toEqual([
    { activityId: 'agent_b', agent: 'agent_b', purpose: '', offset: 0, text: '50 %' },
  ]);
});

test('what keeps a run from answering is told once, and once more when it is something else or comes back', async () => {
  const run = await writing('');
  const troubles = ['away', 'away', 'paused', undefined, 'paused'];
  const steps = troubles.map((message) => () => (message === undefined ? run.event() : run.trouble(message)));
  const reading = new Reading(run.shared, {});
  for (const each of steps) {
    await each();
    if (each === steps[3]) await run.look();
    await reading.take(100);
  }
  expect(shown(reading.items)).toEqual(['event 1', 'away', 'paused', 'event 2', 'paused']);
});

test('all readers are told of an error that no further attempt would overcome', async () => {
  const { shared } = await writing('');
  const items = itemsOf(shared, { after: 1 });
  const next = items.next();
  shared.end({ error: new Error('refused') });
  await expect(next).rejects.toThrow('refused');
});
