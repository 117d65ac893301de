import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { SentenceIndex } from './text/sentence-search.ts';
import type { TextFile } from './text/sentences.ts';

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

const endings = new Set('.md .txt .rst .adoc .html .csv .tsv .json .yaml .yml .log .xml'.split(' '));
const maxFiles = 2000;
const maxBytes = 2_000_000;

/** By name, without hidden folders, `node_modules`, links, files over 2 MB, and what comes after the first 2,000. */
export async function* textFiles(folder: string): AsyncGenerator<TextFile> {
  let found = 0;
  async function* visit(place: string): AsyncGenerator<TextFile> {
    const entries = await readdir(place, { withFileTypes: true });
    for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (found >= maxFiles) return;
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = join(place, entry.name);
      if (entry.isDirectory()) yield* visit(path);
      else if (
        entry.isFile() &&
        endings.has(extname(entry.name).toLowerCase()) &&
        (await stat(path)).size <= maxBytes
      ) {
        found += 1;
        yield { name: relative(folder, path).replaceAll('\\', '/'), text: await readFile(path, 'utf8') };
      }
    }
  }
  yield* visit(folder);
}
