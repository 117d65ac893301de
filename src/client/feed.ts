import type { RunEvent } from '../protocol/events.ts';
import type { Reprise } from './reprise.ts';
import type { RunStatus } from './show/show.ts';

/** What a follower of a run wants to see. */
export interface FeedReader {
  /** The sequence number of the last event that it has seen; 0 when absent. */
  after?: number;
  /** Whether it wants the texts in progress too. */
  text?: boolean;
  signal?: AbortSignal;
}

/** What followers of a run see. */
export type FeedItem =
  | { type: 'event'; event: RunEvent }
  /** `offset`: the place of the text's first character in all that the call writes. `reset`: the call was made again. */
  | {
      type: 'text';
      activityId: string;
      agent: string;
      purpose: string;
      offset: number;
      text: string;
      reset?: boolean;
    }
  /** Nothing new can be told at present, and why. */
  | { type: 'trouble'; message: string }
  /** The run has ended, and all its events were told. */
  | { type: 'end'; status: RunStatus };

/** The events and texts of runs, for all who follow them in a process. */
export class Feeds {
  readonly #reprise: Reprise;

  constructor(reprise: Reprise) {
    this.#reprise = reprise;
  }

  async *follow(id: string, { after = 0, signal, text = false }: FeedReader = {}): AsyncGenerator<FeedItem> {
    const run = this.#reprise.getRun(id);
    const offsets = new Map<string, number>();
    let trouble = '';
    for await (const snapshot of run.watch()) {
      if (signal?.aborted) return;
      for (const event of snapshot.events) if (event.seq > after) yield { type: 'event', event };
      if (text)
        for (const { isAgain, text: piece, ...writer } of snapshot.texts) {
          const offset = isAgain ? 0 : (offsets.get(writer.activityId) ?? 0);
          offsets.set(writer.activityId, offset + piece.length);
          yield { type: 'text', ...writer, offset, text: piece, ...(isAgain && { reset: true }) };
        }
      const message = snapshot.trouble?.message ?? '';
      if (message !== trouble && message !== '') yield { type: 'trouble', message };
      trouble = message;
    }
    const { status } = await this.#reprise.client.workflow.getHandle(id).describe();
    yield { type: 'end', status: status.name.toLowerCase() as RunStatus };
  }

  close(): void {}
}
