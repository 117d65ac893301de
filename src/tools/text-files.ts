import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative } from 'node:path';

/** A text file in a folder. Its name is its path from that folder, with forward slashes. */
export interface TextFile {
  name: string;
  text: string;
}

const endings = new Set('.md .txt .rst .adoc .html .csv .tsv .json .yaml .yml .log .xml'.split(' '));
const maxFiles = 2000;
const maxBytes = 2_000_000;

/**
 * All text files below a folder, ordered by name. Hidden folders, `node_modules`, links and files over 2 MB are passed
 * over, as is everything after the first 2,000 files.
 *
 * @throws if the folder cannot be read
 */
export function textFiles(folder: string): TextFile[] {
  const found: TextFile[] = [];
  const visit = (place: string): void => {
    for (const entry of readdirSync(place, { withFileTypes: true }).sort(byName)) {
      if (found.length >= maxFiles) return;
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = join(place, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile() && endings.has(extname(entry.name).toLowerCase()) && statSync(path).size <= maxBytes) {
        found.push({ name: relative(folder, path).replaceAll('\\', '/'), text: readFileSync(path, 'utf8') });
      }
    }
  };
  visit(folder);
  return found;
}

const byName = (one: { name: string }, other: { name: string }): number => (one.name < other.name ? -1 : 1);
