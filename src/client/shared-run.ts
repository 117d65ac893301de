import type { WorkflowExecutionStatusName } from '@temporalio/client';
import type { RunEvent } from '../protocol/events.ts';
import { isOpenStatus } from '../util/run-status.ts';
import { SharedTexts, TextReader } from './live-text.ts';
import type { RunStatus } from './show/show.ts';
import type { TextPiece } from './snapshot.ts';
import type { Look } from './watch.ts';

/** What a reader wants of a run. */
export interface FeedReader {
  /** The sequence number of the last event that it has; 0 when absent. */
  after?: number;
  /** Whether it wants the texts in progress too. */
  text?: boolean;
  /** Ends its reading, also while nothing happens. */
  signal?: AbortSignal;
}

/** What happens in a run, as its readers see it. */
export type FeedItem =
  | { type: 'event'; event: RunEvent }
  /** The last piece of a text may be missing: what it comes to is in its event. */
  | ({ type: 'text' } & TextPiece)
  /** Why nothing new can be told at present; once for each change. */
  | { type: 'trouble'; message: string }
  /** The run has closed, and all its events were told. */
  | { type: 'end'; status: RunStatus };

/** What is known of one run, for all its readers. */
export class SharedRun {
  readonly events: RunEvent[] = [];
  readonly texts: SharedTexts;
  trouble: Error | undefined;
  /** How it has ended: with the run, by an error, or since nobody follows it any more; undefined while it goes on. */
  ended: { status?: RunStatus; error?: unknown } | undefined;
  /** Counts what is new. */
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

  /** Takes in what the store has of the texts by now. */
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
