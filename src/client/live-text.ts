import type { RunEvent } from '../protocol/events.ts';
import type { PendingCall } from './snapshot.ts';

/** What a call has written so far, in one of its tries. It only grows, so that each reader needs no more than a place in it. */
export class LiveText {
  readonly activityId: string;
  readonly agent: string;
  readonly purpose: string;
  /** Whether it takes the place of an earlier text of the same id. */
  readonly isAgain: boolean;
  readonly #attempt: number;
  /** What of it is known, and where that begins. */
  #text = '';
  #start = 0;

  constructor(call: Pick<LiveText, 'activityId' | 'agent' | 'purpose' | 'isAgain'>, attempt: number) {
    this.activityId = call.activityId;
    this.agent = call.agent;
    this.purpose = call.purpose;
    this.isAgain = call.isAgain;
    this.#attempt = attempt;
  }

  /** Whether a try that has written so many characters goes on with this text. */
  isOf(attempt: number, characters: number): boolean {
    return attempt === this.#attempt && characters >= this.#start + this.#text.length;
  }

  /** Takes in what is known from a place on. What lies between that and what was known before is lost. */
  grow(offset: number, text: string): void {
    const end = this.#start + this.#text.length;
    if (offset > end) {
      this.#start = offset;
      this.#text = text;
    } else {
      this.#text += text.slice(end - offset);
    }
  }

  /** What is known from a place on, and where it begins; half a character at its end waits for the other half. */
  from(place: number): { offset: number; text: string } {
    const offset = Math.max(place, this.#start);
    const text = this.#text.slice(offset - this.#start);
    return { offset, text: /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text };
  }
}

/** The texts in progress of a run, kept up to date with what looks at the run bring. */
export class LiveTexts {
  readonly #writers = new Map<string, { agent: string; purpose: string }>();
  readonly #texts = new Map<string, LiveText>();
  readonly #begun = new Set<string>();

  /** Those of the calls under way. */
  get texts(): Iterable<LiveText> {
    return this.#texts.values();
  }

  /** @returns whether there is anything new */
  see(events: RunEvent[], calls: PendingCall[]): boolean {
    for (const event of events) {
      if (event.type !== 'thinking') continue;
      this.#writers.set(event.activityId, event);
      // A run that continues as new counts its calls from the beginning.
      this.#texts.delete(event.activityId);
    }
    const underWay = new Set(calls.map(({ activityId }) => activityId));
    for (const id of this.#texts.keys()) if (!underWay.has(id)) this.#texts.delete(id);
    return calls.map((call) => this.#grow(call)).includes(true);
  }

  #grow({ activityId, progress }: PendingCall): boolean {
    if (progress === undefined || progress.characters === 0) return false;
    const { attempt, characters, partial } = progress;
    const { agent = progress.agent, purpose = '' } = this.#writers.get(activityId) ?? {};
    // The event that says who writes is told with the next look.
    if (agent === undefined) return false;
    let text = this.#texts.get(activityId);
    if (!text?.isOf(attempt, characters)) {
      text = new LiveText({ activityId, agent, purpose, isAgain: this.#begun.has(activityId) }, attempt);
      this.#begun.add(activityId);
      this.#texts.set(activityId, text);
    }
    text.grow(characters - partial.length, partial);
    return true;
  }
}
