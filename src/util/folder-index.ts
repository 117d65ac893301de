import { SentenceIndex } from './text/sentence-search.ts';
import { textFiles } from './text/text-files.ts';

interface Known {
  index: Promise<SentenceIndex>;
  /** By `performance.now()`; undefined as long as it is being made. */
  madeAt?: number;
}

const indexes = new Map<string, Known>();

/** Indexes all texts below a folder. An index is at most five seconds old. @throws if the folder cannot be read */
export async function indexOfFolder(folder: string): Promise<SentenceIndex> {
  const known = indexes.get(folder);
  if (known !== undefined && performance.now() - (known.madeAt ?? performance.now()) < 5000) return known.index;
  const made: Known = { index: SentenceIndex.of(textFiles(folder)) };
  indexes.set(folder, made);
  try {
    return await made.index;
  } catch (error) {
    indexes.delete(folder);
    throw error;
  } finally {
    made.madeAt = performance.now();
  }
}
