import type { RunEvent } from '../protocol/events.ts';
import type { LiveTexts } from '../store/store.ts';
import type { PendingCall, TextPiece } from './snapshot.ts';

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

/** What a look at a run brings for its texts; `runId` is undefined where the server did not tell it. */
interface SeenTexts {
  events: RunEvent[];
  calls: PendingCall[];
  runId: string | undefined;
}

/** The texts in progress of a run, for all who read them. */
export class SharedTexts {
  readonly #stored: Pick<LiveTexts, 'read'>;
  readonly #writers = new Map<string, { agent: string; purpose: string }>();
  /** The calls under way, and what they write, by the keys of their journal. */
  #calls = new Map<string, PendingCall>();
  readonly #texts = new Map<string, LiveText>();
  readonly #begun = new Set<string>();
  #runId: string | undefined;
  /** Counts what is new. */
  version = 0;

  constructor(stored: Pick<LiveTexts, 'read'>) {
    this.#stored = stored;
  }

  /** Takes in what a look at the run has brought. */
  async see({ calls, events, runId }: SeenTexts): Promise<void> {
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

  /** Those of the calls under way. */
  values(): LiveText[] {
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
    const texts = this.#texts.values();
    for (const text of this.#places.keys()) if (!texts.includes(text)) this.#places.delete(text);
    for (const text of texts) if (!this.#places.has(text)) this.#places.set(text, 0);
    yield* this.rest();
  }
}
