import type { Context } from '@temporalio/activity';
import type { ModelProgress } from '../protocol/model-call.ts';
import type { LivePiece, LiveTexts } from '../store/store.ts';
import { sendHeartbeats } from './cancellable.ts';

/** Of the text in progress, in characters. */
const maxChars = 4000;

/** The end of the text in heartbeats, also while the model is silent, and all of it in the store. */
export class Progress {
  characters = 0;
  thought = 0;
  #text = '';
  #waitsFor: string | undefined;
  readonly #live: ReturnType<LiveTextWriter['begin']>;
  readonly #stopHeartbeats: () => void;

  constructor(context: Context, writer: LiveTextWriter, key: string) {
    const { attempt, workflowExecution } = context.info;
    this.#live = writer.begin({ key, attempt, workflowId: workflowExecution?.workflowId ?? '' });
    const progress = (): ModelProgress => ({
      partial: this.#text,
      characters: this.characters,
      ...(this.thought > 0 && { thought: this.thought }),
      attempt,
      ...(this.#waitsFor !== undefined && { waitsFor: this.#waitsFor }),
    });
    this.#stopHeartbeats = sendHeartbeats(context, progress);
  }

  wait(why: string | undefined): void {
    this.#waitsFor = why;
  }

  add(delta: string, thought = 0): void {
    this.thought += thought;
    if (delta === '') return;
    this.characters += delta.length;
    this.#text = (this.#text + delta).slice(-maxChars);
    this.#live.add(delta);
  }

  stop(): void {
    this.#stopHeartbeats();
    this.#live.end();
  }
}

/** Milliseconds between two writes, and for each text, so that a full worker is not kept busy. */
const everyMs = { least: 100, each: 5 };

/** In milliseconds, so that readers get the end of a text. */
const staysMs = 3000;

/** In milliseconds, for a store that could not be written. */
const restMs = 5000;

interface LiveText extends LivePiece {
  key: string;
  workflowId: string;
  /** Anything of it may be in the store. */
  isThere: boolean;
  until?: number;
}

/** Nobody waits for a write, and what cannot be written now is written later with what follows. */
export class LiveTextWriter {
  readonly #store: LiveTexts;
  readonly #texts = new Set<LiveText>();
  #isDue = false;

  constructor(store: LiveTexts) {
    this.#store = store;
  }

  begin(call: Pick<LiveText, 'key' | 'attempt' | 'workflowId'>): { add: (delta: string) => void; end: () => void } {
    const live: LiveText = { ...call, offset: 0, text: '', isThere: false };
    return {
      add: (delta) => {
        live.text += delta;
        this.#texts.add(live);
        this.#schedule(0);
      },
      end: () => {
        live.until = Date.now() + staysMs;
        // What was over within a moment nobody has seen.
        if (!live.isThere) this.#texts.delete(live);
      },
    };
  }

  #schedule(restMs: number): void {
    const ms = restMs + Math.max(everyMs.least, this.#texts.size * everyMs.each);
    if (!this.#isDue) setTimeout(() => void this.#write(), ms).unref();
    this.#isDue = true;
  }

  async #write(): Promise<void> {
    const pieces = [...this.#texts].filter(({ text }) => text !== '').map((live) => ({ live, piece: { ...live } }));
    for (const { live } of pieces) live.isThere = true;
    const ended = [...this.#texts].filter(({ text, until = Infinity }) => text === '' && until < Date.now());
    let rest = 0;
    const news = pieces.map(({ piece }) => piece);
    try {
      if (news.length > 0 || ended.length > 0) await this.#store.write(news, ended);
      for (const { live, piece } of pieces) {
        live.offset += piece.text.length;
        live.text = live.text.slice(piece.text.length);
      }
      for (const live of ended) this.#texts.delete(live);
    } catch {
      rest = restMs;
    }
    this.#isDue = false;
    if (this.#texts.size > 0) this.#schedule(rest);
  }
}
