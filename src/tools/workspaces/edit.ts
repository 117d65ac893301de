import { ToolError } from '../tool.ts';

export interface Edit {
  old_text: string;
  new_text: string;
  /** Whether every occurrence is replaced; if not, there must be just one. */
  replace_all?: boolean | undefined;
}

const shownLines = 40;
const shownCharacters = 3000;

/** In a longer text, in characters, nothing is looked for that is nearest: it would take too long. */
const longestSearched = 1_000_000;

const ends = ['\r\n', '\n'] as const;

const withEnds = (text: string, end: string): string => text.replaceAll(/\r?\n/g, end);

/**
 * Makes edits one after another. Old texts are found whatever their line ends are, and what is new gets those of the file.
 *
 * @returns the new text, and how many places have changed
 * @throws `ToolError` for the first edit that does not fit, with the part of the file that is nearest to it
 */
export function edited(path: string, text: string, edits: Edit[]): { text: string; places: number } {
  const own = /\r?\n/.exec(text)?.[0] ?? '\n';
  let places = 0;
  let now = text;
  for (const [index, { old_text, new_text, replace_all }] of edits.entries()) {
    const which = edits.length === 1 ? 'old_text' : `the old_text of edit ${index + 1}`;
    const none = edits.length === 1 ? '' : '; none of the edits was made';
    const found = [old_text, ...ends.map((end) => withEnds(old_text, end))].find((each) => now.includes(each));
    if (found === undefined) {
      throw new ToolError(
        `${path} does not hold ${which}, which must stand there exactly so${none}${nearest(now, old_text)}`,
      );
    }
    const parts = now.split(found);
    const count = parts.length - 1;
    if (count > 1 && !replace_all) {
      throw new ToolError(
        `${which} stands in ${path} ${count} times; give more of the text around it, or replace_all${none}`,
      );
    }
    now = parts.join(withEnds(new_text, own));
    places += count;
  }
  return { text: now, places };
}

/** A line without what people do not see or often mistake. */
const plain = (line: string): string => line.replaceAll(/\s+/g, ' ').trim();

const wordsOf = (line: string): string[] => plain(line).match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [];

/** The part of a text that is most like another one: where the line that says most has its nearest one. Empty if none is alike. */
function nearest(text: string, wanted: string): string {
  const lines = text.split(/\r?\n/);
  const sought = wanted.split(/\r?\n/);
  const telling = sought.reduce(
    (best, line, at) => (plain(line).length > plain(sought[best] ?? '').length ? at : best),
    0,
  );
  const words = new Set(wordsOf(sought[telling] ?? ''));
  let best = { at: -1, score: 0 };
  for (const [at, line] of text.length > longestSearched ? [] : lines.entries()) {
    const here = wordsOf(line.slice(0, shownCharacters));
    const shared = new Set(here.filter((word) => words.has(word))).size;
    const score = (2 * shared) / (words.size + new Set(here).size);
    if (score > best.score) best = { at, score };
  }
  if (best.score < 0.5) return '; view_file and search_files show what is there';
  const from = Math.max(0, best.at - telling);
  const part = lines.slice(from, from + Math.min(sought.length, shownLines));
  const isSpace = part.map(plain).join('\n') === sought.map(plain).join('\n');
  const how = isSpace ? 'with other spaces' : 'nearest';
  const range = part.length === 1 ? `line ${from + 1}` : `lines ${from + 1} to ${from + part.length}`;
  return `. There is, ${how}, in ${range}:\n${part.join('\n').slice(0, shownCharacters)}`;
}
