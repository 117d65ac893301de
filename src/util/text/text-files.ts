import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';

/** A text file in a folder. Its name is its path from that folder, with forward slashes. */
export interface TextFile {
  name: string;
  text: string;
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
