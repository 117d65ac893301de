import { AsyncLocalStorage } from 'node:async_hooks';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Store } from '../../store/store.ts';
import type { FolderLimits, ReadingEnd } from './folder-reading.ts';
import type { FolderNews, ThreadOrder } from './folder-thread.ts';
import type { TreeFile } from '../workspace.ts';

/** A file of a folder that is in the store. */
export interface KnownFile extends TreeFile {
  /** Its size, times, inode and mode, by which a change is noticed without reading it. */
  stamp: string;
  /** Whether every later change gives it another stamp. */
  settled: boolean;
}

export interface FolderContent extends ReadingEnd {
  files: Map<string, KnownFile>;
  /** What differs from the known files: those that were read, as they are now, and null for those that are gone. */
  changed: Map<string, KnownFile | null>;
  /** How many of them were read, since they were not known or have changed. */
  read: number;
}

export interface ReadingChoice {
  /** Files that are known by their stamps. */
  known?: ReadonlyMap<string, KnownFile>;
  /** What the folder is to have been made as (`identityOf`); absent: whatever is there. */
  identity?: string;
  /** Paths that are not looked at. */
  skipped?: string[];
  /** Names that are left out wherever they stand; one that ends in `*` stands for all that begin so. */
  leftOut?: string[];
  limits: FolderLimits;
  signal?: AbortSignal | undefined;
}

/**
 * Stores what a folder holds that is not known. It is read in a thread.
 *
 * @throws `Error` if the folder cannot be read or holds too much
 */
export async function readFolder(store: Store, folder: string, choice: ReadingChoice): Promise<FolderContent> {
  const { identity, known = new Map<string, KnownFile>(), leftOut = [], limits, signal, skipped = [] } = choice;
  signal?.throwIfAborted();
  const settled = [...known].filter(([, file]) => file.settled);
  const underWay = new Int32Array(new SharedArrayBuffer(4));
  const read = new Map<string, KnownFile>();
  const reader = idle.pop() ?? new Reader();
  try {
    const stamps = (): string => settled.map(([path, { stamp }]) => `${path}\0${stamp}\0`).join('');
    const order = {
      folder,
      identity,
      skipped,
      leftOut,
      limits,
      known: reader.knows(known) ? null : stamps(),
      underWay,
    };
    // The thread's messages may come in the name of the activity that has started it.
    const take = AsyncLocalStorage.bind(async ({ content, files }: Batch) => {
      let at = 0;
      const ids = await store.putObjects(files.map(({ bytes }) => content.subarray(at, (at += bytes))));
      for (const [index, { path, ...file }] of files.entries()) read.set(path, { id: ids[index] ?? '', ...file });
      Atomics.sub(underWay, 0, 1);
      Atomics.notify(underWay, 0);
    });
    const end = await reader.run(order, signal, take);
    const files = new Map(settled);
    for (const path of end.changed) files.delete(path);
    for (const [path, file] of read) files.set(path, file);
    const gone = [...known.keys()].filter((path) => !files.has(path));
    reader.remember(files);
    const changed = new Map<string, KnownFile | null>([...gone.map((path) => [path, null] as const), ...read]);
    return { files, changed, read: read.size, leftOut: end.leftOut, isOdd: end.isOdd };
  } finally {
    reader.rest();
  }
}

type Batch = Extract<FolderNews, { files: unknown }>;
type End = Exclude<FolderNews, Batch | { problem: string }>;

const memoryMb = 512;

const thread = new URL(`./folder-thread${extname(import.meta.url)}`, import.meta.url);

/** Threads that have nothing to do, at most one: to start one takes longer than to look at thousands of files. */
const idle: Reader[] = [];

/** A thread that reads one folder at a time. */
class Reader {
  readonly #worker = new Worker(thread, {
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  #isGood = true;
  #last: ReadonlyMap<string, KnownFile> | undefined;
  #onNews: (news: FolderNews) => void = () => {};
  #onBroken: (error: Error) => void = () => {};

  constructor() {
    this.#worker.on('message', (news: FolderNews) => this.#onNews(news));
    this.#worker.on('error', (error: Error) => this.#break(error));
    this.#worker.on('exit', () => this.#break(new Error('the thread that reads folders has ended')));
  }

  /** Whether the thread has the stamps of these files from its last folder. */
  knows(files: ReadonlyMap<string, KnownFile>): boolean {
    const isLast = this.#last === files;
    // It holds for the next order alone, which changes what the thread knows.
    this.#last = undefined;
    return isLast;
  }

  /** Tells what the last folder held, in a map that nobody changes. */
  remember(files: ReadonlyMap<string, KnownFile>): void {
    this.#last = files;
  }

  /** @param take is given batches one after the other */
  async run(order: ThreadOrder, signal: AbortSignal | undefined, take: (batch: Batch) => Promise<void>): Promise<End> {
    const { promise: ended, resolve, reject } = Promise.withResolvers<End>();
    let last: Promise<void> = Promise.resolve();
    this.#onNews = (news) => {
      if ('problem' in news) reject(new Error(news.problem));
      else if ('files' in news) last = last.then(() => take(news));
      else last = last.then(() => resolve(news));
      last.catch((error: Error) => this.#break(error));
    };
    this.#onBroken = reject;
    const abort = (): void => this.#break(signal?.reason as Error);
    signal?.addEventListener('abort', abort, { once: true });
    this.#worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    this.#worker.postMessage(order);
    try {
      return await ended;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Keeps the thread for the next folder, or ends it. */
  rest(): void {
    [this.#onNews, this.#onBroken] = [() => {}, () => {}];
    this.#worker.unref();
    if (this.#isGood && idle.length === 0) idle.push(this);
    // It is not waited for: a disk that hangs may hold it.
    else void this.#worker.terminate();
  }

  #break(error: Error): void {
    this.#isGood = false;
    const index = idle.indexOf(this);
    if (index !== -1) idle.splice(index, 1);
    this.#onBroken(error);
  }
}
