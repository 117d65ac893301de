import { setTimeout as pause } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { coalesced } from '../util/coalesced.ts';
import type { Reprise } from './reprise.ts';
import { itemsOf, SharedRun, statusOf, type FeedItem, type FeedReader } from './shared-run.ts';
import { StoredTexts, type StorePlace } from './stored-texts.ts';
import { RunLooks } from './watch.ts';

export type { FeedItem, FeedReader } from './shared-run.ts';

export interface FeedOptions extends StorePlace {
  /** Time between two looks at a run, in milliseconds; 250 when absent. With many runs it is longer. */
  everyMs?: number;
  /** How long a run is followed on after its last reader has left, in milliseconds; 5,000 when absent. */
  lingerMs?: number;
}

interface Times {
  everyMs: () => number;
  lingerMs: number;
}

/** Between two looks at a run are at least so many milliseconds for each that is followed, so that Temporal is not kept busy by them. */
const eachMs = 50;

/**
 * What followers of a run see, shared by all of a process: one looks at the run, however many read. Readers pull, each from its
 * own place: a slow one holds up nobody and keeps nothing, and what it has missed of a text comes as one piece.
 */
export class Feeds {
  readonly #reprise: Reprise;
  readonly #options: Times;
  readonly #stored: StoredTexts;
  readonly #feeds = new Map<string, Feed>();

  constructor(reprise: Reprise, { everyMs = 250, lingerMs = 5000, ...place }: FeedOptions = {}) {
    this.#reprise = reprise;
    this.#stored = new StoredTexts(place);
    this.#options = { everyMs: () => Math.max(everyMs, this.#looking * eachMs), lingerMs };
  }

  /** Reads a run until it has closed, the signal is aborted, or the feeds are closed. @throws (when it is read) as `Run.watch` */
  async *follow(id: string, reader: FeedReader = {}): AsyncGenerator<FeedItem> {
    const feed = await this.#feedOf(id);
    feed.enter(reader);
    try {
      yield* itemsOf(feed.run, reader);
    } finally {
      feed.leave(reader);
    }
  }

  /** What is known of a run, once it was looked at. @throws as `Run.watch` */
  async seen(id: string): Promise<Pick<SharedRun, 'ended' | 'events'>> {
    const feed = await this.#feedOf(id);
    feed.enter({});
    try {
      await feed.looked;
      return feed.run;
    } finally {
      feed.leave({});
    }
  }

  /** How many are looked at again and again. */
  get #looking(): number {
    return [...this.#feeds.values()].filter(({ run }) => run.ended === undefined).length;
  }

  get open(): number {
    return this.#feeds.size;
  }

  close(): void {
    for (const feed of this.#feeds.values()) feed.close();
    void this.#stored.close();
  }

  async #feedOf(id: string): Promise<Feed> {
    const present = this.#feeds.get(id);
    if (present === undefined) return this.#opened(id);
    // The id of a run that has ended may be another run's by now.
    if (present.run.ended === undefined || (await present.isLast())) return present;
    if (this.#feeds.get(id) === present) this.#feeds.delete(id);
    return this.#feedOf(id);
  }

  #opened(id: string): Feed {
    const handle = this.#reprise.client.workflow.getHandle(id);
    const feed = new Feed(handle, new SharedRun(this.#stored), this.#options, () => {
      if (this.#feeds.get(id) === feed) this.#feeds.delete(id);
    });
    this.#feeds.set(id, feed);
    return feed;
  }
}

/** The one that follows a run for all its readers. */
class Feed {
  readonly run: SharedRun;
  /** Settles with the first look. */
  readonly looked: Promise<void>;
  readonly #handle: WorkflowHandle;
  readonly #looks: RunLooks;
  readonly #options: Times;
  readonly #onDropped: () => void;
  #readers = 0;
  #textReaders = 0;
  #left: NodeJS.Timeout | undefined;
  /** Whether the run is still the last one with its id. */
  readonly isLast = coalesced(async () => (await this.#handle.describe()).runId === this.#looks.seen?.runId);

  /** @param onDropped is told once who comes next needs another follower */
  constructor(handle: WorkflowHandle, run: SharedRun, options: Times, onDropped: () => void) {
    this.run = run;
    this.#handle = handle;
    this.#looks = new RunLooks(handle, undefined, false);
    this.#options = options;
    this.#onDropped = onDropped;
    this.looked = this.#look();
    void this.#follow();
  }

  enter({ text }: FeedReader): void {
    this.#readers += 1;
    if (text) this.#textReaders += 1;
    clearTimeout(this.#left);
  }

  leave({ text }: FeedReader): void {
    this.#readers -= 1;
    if (text) this.#textReaders -= 1;
    if (this.#readers === 0) this.#left = setTimeout(() => this.close(), this.#options.lingerMs).unref();
  }

  close(): void {
    clearTimeout(this.#left);
    this.#onDropped();
    this.run.end({});
  }

  async #follow(): Promise<void> {
    try {
      await this.looked;
      while (this.run.ended === undefined) {
        await this.#rest();
        await this.#look();
      }
    } catch (error) {
      this.#onDropped();
      this.run.end({ error });
    }
  }

  /** Waits for the next look. Texts are read more often, which costs Temporal nothing. */
  async #rest(): Promise<void> {
    const until = Date.now() + this.#options.everyMs();
    for (let left = until - Date.now(); left > 0; left = until - Date.now()) {
      await pause(Math.min(left, 100));
      if (this.#textReaders > 0) await this.run.readTexts();
    }
  }

  async #look(): Promise<void> {
    if (this.run.ended !== undefined) return;
    const { runId } = this.#looks.seen ?? {};
    const look = await this.#looks.look();
    if (!this.run.isOther(look)) return this.run.see(look);
    this.#onDropped();
    const { status } = await this.#handle.client.getHandle(this.#handle.workflowId, runId).describe();
    this.run.end({ status: statusOf(status.name) });
  }
}
