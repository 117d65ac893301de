import { SentenceIndex } from './sentence-search.ts';
import { textFiles } from './text-files.ts';

/** How long an index serves before the folder is looked at again. */
const freshMs = 5000;

const indexes = new Map<string, { index: SentenceIndex; madeAt: number }>();

/** The sentences of all texts below a folder, at most five seconds old. @throws where the folder cannot be read */
export function indexOfFolder(folder: string): SentenceIndex {
  const known = indexes.get(folder);
  if (known !== undefined && Date.now() - known.madeAt < freshMs) return known.index;
  const index = new SentenceIndex(textFiles(folder));
  indexes.set(folder, { index, madeAt: Date.now() });
  return index;
}
