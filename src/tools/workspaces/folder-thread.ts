/**
 * Reads folders of the machine in a thread of its own: the disk of one may hang, and asking the system beside the process
 * takes five times as long. Takes `ThreadOrder`s one after the other, and posts `FolderNews` of each up to its end.
 */
import { parentPort } from 'node:worker_threads';
import { FolderReading, type FileRead, type ReadingEnd, type ReadingOrder } from './folder-reading.ts';

export interface ThreadOrder extends ReadingOrder {
  /**
   * Paths of known files and their stamps, in turn, each ended by a zero byte: one text is copied faster than a map. Null
   * for the files that the thread knows from its last order.
   */
  known: string | null;
  /** How many batches are under way to the process, shared with it. */
  underWay: Int32Array;
}

export type FolderNews =
  | { files: FileRead[]; content: Uint8Array }
  /** The end. `changed`: the known files that are gone or were read. */
  | (ReadingEnd & { changed: string[] })
  | { problem: string };

/** How many batches may wait for the process to store them. */
const mostUnderWay = 3;

const port = parentPort;

// oxlint-disable unicorn/require-post-message-target-origin -- a thread has none
/** The stamps of the files of the last folder, as far as later changes will show in them. */
let last = new Map<string, string>();

port?.on('message', ({ known: texts, underWay, ...order }: ThreadOrder) => {
  const known = texts === null ? last : pairs(texts);
  const read: FileRead[] = [];
  const give = (files: FileRead[], content: Uint8Array): void => {
    read.push(...files);
    Atomics.add(underWay, 0, 1);
    port.postMessage({ files, content } satisfies FolderNews, [content.buffer as ArrayBuffer]);
    for (let now = Atomics.load(underWay, 0); now >= mostUnderWay; now = Atomics.load(underWay, 0))
      Atomics.wait(underWay, 0, now);
  };
  try {
    const same = new Set<string>();
    const end = new FolderReading(order, known, give).run((path) => same.add(path));
    const changed = same.size === known.size ? [] : [...known.keys()].filter((path) => !same.has(path));
    for (const path of changed) known.delete(path);
    for (const { path, settled, stamp } of read) if (settled) known.set(path, stamp);
    last = known;
    port.postMessage({ ...end, changed } satisfies FolderNews);
  } catch (error) {
    port.postMessage({ problem: (error as Error).message } satisfies FolderNews);
  }
});

function pairs(texts: string): Map<string, string> {
  const found = new Map<string, string>();
  const parts = texts.split('\0');
  for (let index = 0; index + 1 < parts.length; index += 2) found.set(parts[index] ?? '', parts[index + 1] ?? '');
  return found;
}
