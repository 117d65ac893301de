import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PendingCall, RunEvent } from '../../src/client.ts';
import { itemsOf, SharedRun, type FeedItem, type FeedReader } from '../../src/client/shared-run.ts';

/** How much of a text a heartbeat carries here, in characters. */
const carried = 1000;

/** A run that is made up, with one look at it after another. */
class MadeUpRun {
  readonly shared = new SharedRun();
  readonly events: RunEvent[] = [];
  /** All that calls have written, by their ids and tries. */
  readonly written = new Map<string, string[]>();
  readonly #calls = new Map<string, PendingCall>();
  #fresh: RunEvent[] = [];

  event(body: object = { type: 'notice', text: 'Something.' }): void {
    const event = { seq: this.events.length + 1, at: '2026-01-18T17:09:44.000Z', attempt: 1, ...body } as RunEvent;
    this.events.push(event);
    this.#fresh.push(event);
  }

  begin(activityId: string): void {
    if (this.#calls.has(activityId)) return;
    this.event({ type: 'thinking', agent: `agent of ${activityId}`, purpose: 'answer', activityId, model: 'm' });
    this.written.set(activityId, [...(this.written.get(activityId) ?? []), '']);
    this.#calls.set(activityId, { activityId, activity: 'callModel', attempt: 1 });
  }

  write(activityId: string, text: string): void {
    const call = this.#calls.get(activityId);
    if (call === undefined || text === '') return;
    const tries = this.written.get(activityId) ?? [];
    const whole = `${tries.pop()}${text}`;
    tries.push(whole);
    const { attempt } = call;
    call.progress = { partial: whole.slice(-carried), characters: whole.length, attempt };
  }

  again(activityId: string): void {
    const call = this.#calls.get(activityId);
    if (call === undefined) return;
    // What the try before has written last stays until the next heartbeat.
    call.attempt += 1;
    this.written.get(activityId)?.push('');
  }

  finish(activityId: string): void {
    if (this.#calls.delete(activityId)) this.event();
  }

  look(): void {
    this.shared.see({ events: this.#fresh, calls: structuredClone([...this.#calls.values()]), status: 'RUNNING' });
    this.#fresh = [];
  }

  trouble(message: string): void {
    this.shared.see({ events: [], calls: [], status: undefined, trouble: new Error(message) });
  }

  end(): void {
    this.shared.see({ events: this.#fresh, calls: [], status: 'COMPLETED' });
    this.#fresh = [];
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
  fc.record({ do: fc.constant('event' as const) }),
  fc.record({ do: fc.constantFrom('begin' as const, 'again' as const, 'finish' as const), id }),
  fc.record({ do: fc.constant('write' as const), id, text: fc.string({ maxLength: 20, unit: 'binary' }) }),
  fc.record({ do: fc.constantFrom('look' as const, 'trouble' as const) }),
  fc.record({ do: fc.constant('join' as const), after: fc.nat(5), text: fc.boolean() }),
  fc.record({ do: fc.constantFrom('take' as const, 'leave' as const), reader: fc.nat(5), count: fc.nat(8) }),
);

test('whoever reads, from wherever, however slowly, is told each event and each character once and in order', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
    const run = new MadeUpRun();
    const readings: Array<{ reading: Reading; after: number; text: boolean }> = [];
    for (const each of steps) {
      if (each.do === 'event') run.event();
      if (each.do === 'begin' || each.do === 'again' || each.do === 'finish') run[each.do](each.id);
      if (each.do === 'write') run.write(each.id, each.text);
      if (each.do === 'look') run.look();
      if (each.do === 'trouble') run.trouble('away');
      if (each.do === 'join')
        readings.push({ reading: new Reading(run.shared, each), after: each.after, text: each.text });
      const reading = 'reader' in each ? readings[each.reader]?.reading : undefined;
      if (each.do === 'take') await reading?.take(each.count);
      if (each.do === 'leave') reading?.leave.abort();
    }
    run.look();
    for (const { reading } of readings) await reading.take(1000);
    for (const { reading, text } of readings) {
      const read = reading.texts();
      if (reading.leave.signal.aborted) continue;
      for (const { activityId } of run.shared.texts.texts)
        if (text) expect(read.get(activityId)).toBe(run.written.get(activityId)?.findLast((tried) => tried !== ''));
    }
    run.end();
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
  await fc.assert(property, { numRuns: 300 });
});

/** What a reader is told that reads all that there is after each of some steps. */
async function told(run: MadeUpRun, reader: FeedReader, steps: Array<() => void>): Promise<string[]> {
  const reading = new Reading(run.shared, reader);
  for (const each of steps) {
    each();
    run.look();
    await reading.take(100);
  }
  return shown(reading.items);
}

function writing(text: string): MadeUpRun {
  const run = new MadeUpRun();
  run.begin('1');
  run.write('1', text);
  run.look();
  return run;
}

test.each<[string, (run: MadeUpRun) => Array<() => void>, string[]]>([
  ['is there already is told in whole', () => [() => {}], ['event 1', '0 One']],
  ['grows is told in pieces', (run) => [() => {}, () => run.write('1', ' two')], ['event 1', '0 One', '3  two']],
  [
    'grows while nobody reads is told in one piece',
    (run) => [() => ['a', 'b', 'c'].forEach((letter) => run.write('1', letter))],
    ['event 1', '0 Oneabc'],
  ],
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
    'was written by a call that another run of the session has made under the same id is void',
    (run) => [() => {}, () => run.finish('1'), () => run.begin('1'), () => run.write('1', 'Two')],
    ['event 1', '0 One', 'event 2', 'event 3', 'again 0 Two'],
  ],
])('a text that %s', async (_, steps, expected) => {
  const run = writing('One');
  expect(await told(run, { text: true }, steps(run))).toEqual(expected);
});

test('the text of a call that has ended is told to its end to those who have begun with it, and to nobody else', async () => {
  const run = writing('One');
  const [slow, late] = [1, 2].map(() => new Reading(run.shared, { text: true }));
  await slow?.take(2);
  run.write('1', ' two');
  run.look();
  run.finish('1');
  run.look();
  for (const reading of [slow, late]) await reading?.take(100);
  expect(shown(slow?.items ?? [])).toEqual(['event 1', '0 One', '3  two', 'event 2']);
  expect(shown(late?.items ?? [])).toEqual(['event 1', 'event 2']);
});

test('a tool that shows what it has so far names its agent itself, and a model waits for the event that names it', () => {
  const shared = new SharedRun();
  const call = (agent?: string): PendingCall => ({
    activityId: agent ?? 'model',
    activity: '',
    attempt: 1,
    progress: { partial: '50 %', characters: 4, attempt: 1, ...(agent !== undefined && { agent }) },
  });
  shared.see({ events: [], calls: [call('agent_b'), call()], status: 'RUNNING' });
  expect([...shared.texts.texts]).toMatchObject([{ activityId: 'agent_b', agent: 'agent_b', purpose: '' }]);
});

test('what keeps a run from answering is told once, and once more when it is something else or comes back', async () => {
  const run = writing('');
  const troubles = ['away', 'away', 'paused', undefined, 'paused'];
  const steps = troubles.map((message) => () => (message === undefined ? run.event() : run.trouble(message)));
  const reading = new Reading(run.shared, {});
  for (const each of steps) {
    each();
    if (each === steps[3]) run.look();
    await reading.take(100);
  }
  expect(shown(reading.items)).toEqual(['event 1', 'away', 'paused', 'event 2', 'paused']);
});

test('all readers are told of an error that no further attempt would overcome', async () => {
  const { shared } = writing('');
  const items = itemsOf(shared, { after: 1 });
  const next = items.next();
  shared.end({ error: new Error('refused') });
  await expect(next).rejects.toThrow('refused');
});
