/**
 * `npm run words`: how many words by hand each page of the documentation has, and all together. What is generated does not
 * count: the folder of the library's reference, and pages that say so in their first line.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** The most that all pages may have together. */
const limit = 40_000;

const isByHand = (text: string): boolean => !text.startsWith('<!-- generated');

/** Words have a letter or a digit; signs of Markdown and of tables are none, and comments are not for readers. */
const wordsOf = (text: string): number =>
  text.replaceAll(/^<!-- .* -->$/gm, '').match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;

const pages = globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md'], { cwd: root })
  .map((page) => ({ page, text: readFileSync(`${root}${page}`, 'utf8') }))
  .filter(({ text }) => isByHand(text))
  .map(({ page, text }) => ({ page, words: wordsOf(text) }))
  .toSorted((one, other) => other.words - one.words);

const isDecision = (page: string): boolean => page.startsWith('docs/decisions/');
const sumOf = (rows: typeof pages): number => rows.reduce((sum, { words }) => sum + words, 0);
const decisions = pages.filter(({ page }) => isDecision(page));
const all = sumOf(pages);

for (const { page, words } of [
  ...pages.filter(({ page }) => !isDecision(page)),
  { page: `docs/decisions/ (${decisions.length})`, words: sumOf(decisions) },
  { page: `all, of ${limit} at most`, words: all },
])
  console.log(`${String(words).padStart(6)}  ${page}`);
if (all > limit) process.exitCode = 1;
