import { SentenceIndex } from './sentence-search.ts';
import { textFiles } from './text-files.ts';

/** For how many milliseconds an index is used before the folder is read again. */
const freshMs = 5000;

const indexes = new Map<string, { index: SentenceIndex; madeAt: number }>();

/** Indexes all texts below a folder. An index is at most five seconds old. @throws if the folder cannot be read */
export function indexOfFolder(folder: string): SentenceIndex {
  const known = indexes.get(folder);
  if (known !== undefined && Date.now() - known.madeAt < freshMs) return known.index;
  const index = new SentenceIndex(textFiles(folder));
  indexes.set(folder, { index, madeAt: Date.now() });
  return index;
}
