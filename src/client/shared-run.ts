import type { WorkflowExecutionStatusName } from '@temporalio/client';
import type { RunEvent } from '../protocol/events.ts';
import type { LiveTexts } from '../store/store.ts';
import { isOpenStatus } from '../util/run-status.ts';
import type { RunStatus } from './show/show.ts';
import type { Look, PendingCall, TextPiece } from './snapshot.ts';

/** What a call has written so far, in one of its tries. It only grows, so that each reader needs no more than a place in it. */
class LiveText {
  readonly writer: Omit<TextPiece, 'offset' | 'text'>;
  readonly attempt: number;
  /** How much of it the store has told. */
  stored = 0;
  /** What is known of it, and where that begins. */
  #text = '';
  #start = 0;

  constructor(writer: LiveText['writer'], attempt: number) {
    this.writer = writer;
    this.attempt = attempt;
  }

  /** Takes in what is known from a place on. @returns whether that is more than before */
  grow(offset: number, text: string): boolean {
    const end = this.#start + this.#text.length;
    if (offset + text.length <= end) return false;
    if (offset <= end) {
      this.#text += text.slice(end - offset);
    } else {
      // What lies between comes from the store, which may be away for a moment; without one it is lost.
      if (this.stored > 0) return false;
      this.#start = offset;
      this.#text = text;
    }
    return true;
  }

  /** What is known from a place on; half a character at its end waits for the other half. */
  from(place: number): TextPiece {
    const offset = Math.max(place, this.#start);
    const text = this.#text.slice(offset - this.#start).replace(/[\uD800-\uDBFF]$/, '');
    const { reset, ...writer } = this.writer;
    return { ...writer, offset, text, ...(reset && place === 0 && { reset }) };
  }
}

export class SharedTexts {
  readonly #stored: Pick<LiveTexts, 'read'>;
  readonly #writers = new Map<string, { agent: string; purpose: string }>();
  /** The calls under way, and what they write, by the keys of their journal. */
  #calls = new Map<string, PendingCall>();
  readonly #texts = new Map<string, LiveText>();
  readonly #begun = new Set<string>();
  #runId: string | undefined;
  version = 0;

  constructor(stored: Pick<LiveTexts, 'read'>) {
    this.#stored = stored;
  }

  async see({ calls, events, runId }: Pick<Look, 'calls' | 'events' | 'runId'>): Promise<void> {
    if (runId === undefined) return;
    // A run that continues as new counts its calls from the beginning.
    if (runId !== this.#runId) this.#writers.clear();
    this.#runId = runId;
    for (const event of events) if (event.type === 'thinking') this.#writers.set(event.activityId, event);
    this.#calls = new Map(calls.map((call) => [`${runId}/${call.activityId}`, call]));
    await this.read();
    // Heartbeats have the end of a text alone, for those who have no store, and what tools write.
    for (const [key, { progress }] of this.#calls)
      if (progress) this.#grow(key, progress.attempt, progress.characters - progress.partial.length, progress.partial);
    for (const key of this.#texts.keys()) if (!this.#calls.has(key)) this.#texts.delete(key);
  }

  /** Takes in what the store has by now, also of calls that have just ended. */
  async read(): Promise<void> {
    const models = [...this.#calls].filter(([, { activity }]) => activity === 'callModel').map(([key]) => key);
    for (const key of new Set([...models, ...this.#texts.keys()])) {
      const { attempt = 0, stored = 0 } = this.#texts.get(key) ?? {};
      for (const piece of await this.#stored.read(key, attempt, stored)) {
        const text = this.#grow(key, piece.attempt, piece.offset, piece.text);
        if (text) text.stored = piece.offset + piece.text.length;
      }
    }
  }

  #grow(key: string, attempt: number, offset: number, text: string): LiveText | undefined {
    let known = this.#texts.get(key);
    if (known === undefined || known.attempt < attempt) {
      const call = this.#calls.get(key);
      const { agent = call?.progress?.agent, purpose = '' } = this.#writers.get(call?.activityId ?? '') ?? {};
      // The event that says who writes is told with the next look.
      if (call === undefined || agent === undefined || text === '') return undefined;
      const { activityId } = call;
      const reset = this.#begun.has(activityId) && { reset: true as const };
      known = new LiveText({ activityId, agent, purpose, ...reset }, attempt);
      this.#begun.add(activityId);
      this.#texts.set(key, known);
    }
    if (known.attempt !== attempt) return undefined;
    if (known.grow(offset, text)) this.version += 1;
    return known;
  }

  get all(): LiveText[] {
    return [...this.#texts.values()];
  }
}

/** One reader's places in the texts of a run. */
export class TextReader {
  readonly #texts: SharedTexts;
  readonly #places = new Map<LiveText, number>();

  constructor(texts: SharedTexts) {
    this.#texts = texts;
  }

  /** What is new of texts that were begun, also of those whose calls have ended. */
  *rest(): Generator<TextPiece> {
    for (const [text, place] of this.#places) {
      const piece = text.from(place);
      if (piece.text === '') continue;
      this.#places.set(text, piece.offset + piece.text.length);
      yield piece;
    }
  }

  /** The same with the texts that were not begun. */
  *all(): Generator<TextPiece> {
    yield* this.rest();
    const texts = this.#texts.all;
    for (const text of this.#places.keys()) if (!texts.includes(text)) this.#places.delete(text);
    for (const text of texts) if (!this.#places.has(text)) this.#places.set(text, 0);
    yield* this.rest();
  }
}

export interface FeedReader {
  /** The sequence number of the last event that it has; 0 when absent. */
  after?: number;
  text?: boolean;
  /** Ends its reading, also while nothing happens. */
  signal?: AbortSignal;
}

export type FeedItem =
  | { type: 'event'; event: RunEvent }
  /** The last piece of a text may be missing: what it comes to is in its event. */
  | ({ type: 'text' } & TextPiece)
  /** Why nothing new can be told at present; once for each change. */
  | { type: 'trouble'; message: string }
  | { type: 'end'; status: RunStatus };

export class SharedRun {
  readonly events: RunEvent[] = [];
  readonly texts: SharedTexts;
  trouble: Error | undefined;
  /** How it has ended: with the run, by an error, or since nobody follows it any more; undefined while it goes on. */
  ended: { status?: RunStatus; error?: unknown } | undefined;
  version = 0;
  readonly #waiting = new Set<() => void>();

  constructor(stored: ConstructorParameters<typeof SharedTexts>[0]) {
    this.texts = new SharedTexts(stored);
  }

  /** Whether a look has brought events of another run, which has begun under the same id. */
  isOther({ events: [first] }: Pick<Look, 'events'>): boolean {
    const last = this.events.at(-1);
    return first !== undefined && last !== undefined && first.seq <= last.seq;
  }

  /** Takes in what a look has brought, the rest of a text before what it has led to. */
  async see(look: Omit<Look, 'state'>): Promise<void> {
    const { version } = this.texts;
    await this.texts.see(look);
    const { events, status, trouble } = look;
    this.events.push(...events);
    const isAsBefore = trouble?.message === this.trouble?.message;
    if (!isAsBefore) this.trouble = trouble;
    if (status !== undefined && !isOpenStatus(status) && trouble === undefined) this.end({ status: statusOf(status) });
    else if (this.texts.version > version || !isAsBefore || events.length > 0) this.#tell();
  }

  async readTexts(): Promise<void> {
    const { version } = this.texts;
    await this.texts.read();
    if (this.texts.version > version) this.#tell();
  }

  end(how: NonNullable<SharedRun['ended']>): void {
    this.ended ??= how;
    this.#tell();
  }

  /** Waits until there is something new after a version, or until the signal is aborted. */
  async changed(version: number, signal: AbortSignal | undefined): Promise<void> {
    if (version !== this.version || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake);
    });
  }

  #tell(): void {
    this.version += 1;
    for (const wake of this.#waiting) wake();
  }
}

export const statusOf = (name: WorkflowExecutionStatusName): RunStatus => name.toLowerCase() as RunStatus;

/** What a reader is told, as fast as it takes it. */
export async function* itemsOf(
  run: SharedRun,
  { after = 0, signal, text: wantsTexts = false }: FeedReader,
): AsyncGenerator<FeedItem> {
  const texts = new TextReader(run.texts);
  let seen = 0;
  let trouble: SharedRun['trouble'];
  for (;;) {
    if (signal?.aborted) return;
    const { version } = run;
    // The rest of a text comes before what it has led to, and a new text after the event of its call.
    for (const piece of texts.rest()) yield { type: 'text', ...piece };
    for (; seen < run.events.length; seen++) {
      const event = run.events[seen];
      if (event !== undefined && event.seq > after) yield { type: 'event', event };
      if (signal?.aborted) return;
    }
    if (wantsTexts) for (const piece of texts.all()) yield { type: 'text', ...piece };
    if (trouble !== run.trouble) {
      ({ trouble } = run);
      if (trouble !== undefined) yield { type: 'trouble', message: trouble.message };
    }
    if (run.version !== version) continue;
    if (run.ended?.status !== undefined) yield { type: 'end', status: run.ended.status };
    if (run.ended?.error !== undefined) throw run.ended.error;
    if (run.ended !== undefined) return;
    await run.changed(version, signal);
  }
}
