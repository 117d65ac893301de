import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { Reprise } from './reprise.ts';
import { itemsOf, SharedRun, statusOf, type FeedItem, type FeedReader } from './shared-run.ts';
import { RunLooks } from './watch.ts';

export type { FeedItem, FeedReader } from './shared-run.ts';

export interface FeedOptions {
  /** Time between two looks at a run, in milliseconds; 250 when absent. */
  everyMs?: number;
  /** How long a run is followed on after its last reader has left, in milliseconds; 5,000 when absent. */
  lingerMs?: number;
}

/**
 * Everything that followers of a run see, shared by all of them in a process: each run is looked at by one follower, however many
 * read. Readers pull, each from its own place, so that a slow one holds up nobody and keeps nothing: what it has missed of a text
 * comes as one piece.
 */
export class Feeds {
  readonly #reprise: Reprise;
  readonly #options: Required<FeedOptions>;
  readonly #feeds = new Map<string, Feed>();

  constructor(reprise: Reprise, { everyMs = 250, lingerMs = 5000 }: FeedOptions = {}) {
    this.#reprise = reprise;
    this.#options = { everyMs, lingerMs };
  }

  /**
   * Reads a run, from an event on, until it has closed, the reader's signal is aborted, or the feeds are closed.
   *
   * @throws (when it is read) `WorkflowNotFoundError`, and errors that no further attempt would overcome
   */
  follow(id: string, reader: FeedReader = {}): AsyncIterable<FeedItem> {
    return { [Symbol.asyncIterator]: () => this.#read(id, reader) };
  }

  /** How many runs are followed. */
  get open(): number {
    return this.#feeds.size;
  }

  /** Ends everybody's reading. */
  close(): void {
    for (const feed of this.#feeds.values()) feed.close();
  }

  async *#read(id: string, reader: FeedReader): AsyncGenerator<FeedItem> {
    const feed = this.#feeds.get(id) ?? this.#opened(id);
    feed.enter();
    try {
      yield* itemsOf(feed.run, reader);
    } finally {
      feed.leave();
    }
  }

  #opened(id: string): Feed {
    const handle = this.#reprise.client.workflow.getHandle(id);
    const feed = new Feed(handle, this.#options, () => {
      if (this.#feeds.get(id) === feed) this.#feeds.delete(id);
    });
    this.#feeds.set(id, feed);
    return feed;
  }
}

/** The one that follows a run for all its readers. */
class Feed {
  readonly run = new SharedRun();
  readonly #handle: WorkflowHandle;
  readonly #looks: RunLooks;
  readonly #options: Required<FeedOptions>;
  readonly #onDropped: () => void;
  #readers = 0;
  #left: NodeJS.Timeout | undefined;

  /** @param onDropped is told once who comes next needs another follower */
  constructor(handle: WorkflowHandle, options: Required<FeedOptions>, onDropped: () => void) {
    this.#handle = handle;
    this.#looks = new RunLooks(handle, undefined, false);
    this.#options = options;
    this.#onDropped = onDropped;
    void this.#follow();
  }

  enter(): void {
    this.#readers += 1;
    clearTimeout(this.#left);
  }

  leave(): void {
    this.#readers -= 1;
    if (this.#readers === 0) this.#left = setTimeout(() => this.close(), this.#options.lingerMs).unref();
  }

  close(): void {
    clearTimeout(this.#left);
    this.#onDropped();
    this.run.end({});
  }

  async #follow(): Promise<void> {
    try {
      while (this.run.ended === undefined) {
        await this.#look();
        await pause(this.#options.everyMs);
      }
      // Those who come soon need not ask again. Later, the id may be another run's.
      setTimeout(this.#onDropped, this.#options.lingerMs).unref();
    } catch (error) {
      this.#onDropped();
      this.run.end({ error });
    }
  }

  async #look(): Promise<void> {
    const { runId } = this.#looks.seen ?? {};
    const look = await this.#looks.look();
    if (!this.run.isOther(look)) return this.run.see(look);
    this.#onDropped();
    const { status } = await this.#handle.client.getHandle(this.#handle.workflowId, runId).describe();
    this.run.end({ status: statusOf(status.name) });
  }
}
