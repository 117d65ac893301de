import { basename } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { indexOfFolder } from '../../util/folder-index.ts';
import { isFolder } from '../../util/folders.ts';
import { ownDocs } from '../../config/search-services.ts';
import { queryOf, type Hit, type Query, type SentenceIndex } from '../../util/text/sentence-search.ts';
import type { Sentence } from '../../util/text/sentences.ts';
import { stemsOf } from '../../util/text/words.ts';
import { failureTypes } from '../failures.ts';
import { oneLine } from './prompt-sections.ts';
import { leaning, sectionsOf, type Sections } from './sections.ts';

export interface TextIndex {
  name: string;
  /** What all texts are about; empty if unknown. */
  about: string;
  folder: string;
  sentences: SentenceIndex;
  sections: Sections;
}

export type Quotable = Pick<TextIndex, 'folder' | 'sentences'>;

/**
 * How many of a question's words a sentence must hold, itself or by its headings and its paragraph. Words weigh by
 * their rarity, and one that stands nowhere weighs most: a question about something else finds nothing, although it
 * shares common words.
 */
export const relevant = 2 / 3;

/** Of the rest of a question, which may say what `the limit` is a limit of. */
const contextWeight = 0.3;

/** @throws `ApplicationFailure` of type `FolderMissing`, not retryable */
export async function openTexts(folder = ownDocs): Promise<TextIndex> {
  if (!isFolder(folder)) {
    throw ApplicationFailure.nonRetryable(
      `offline: there is no folder ${folder} (key "folder" of the backend)`,
      failureTypes.folderMissing,
    );
  }
  const sentences = await indexOfFolder(folder);
  return {
    name: folder === ownDocs ? 'the documentation of Reprise' : `the folder "${basename(folder)}"`,
    about: folder === ownDocs ? 'Reprise' : '',
    folder: folder === ownDocs ? 'docs/' : '',
    sentences,
    sections: await sectionsOf(sentences, folder),
  };
}

const boundaries =
  /\?+\s*|;\s*|,?\s+(?:and|or|but)\s+(?=(?:also\s+)?(?:what|how|when|who|where|which|why|is|are|does|do|can|should)\b)/i;

/** Sentences that ask nothing are left out if others ask something. */
export function partsOf(task: string): string[] {
  const asking = task.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => sentence.trim().endsWith('?'));
  const parts = (asking.length > 0 ? asking.join(' ') : task)
    .split(boundaries)
    .map((piece) => oneLine(piece).replace(/[?.,;]+$/, ''))
    .filter((part) => stemsOf(part).length > 0);
  return parts.length > 0 ? [...new Set(parts)] : [oneLine(task)];
}

/**
 * The best sentence with its place: `It is hot. (bread.md:9)`. One that leans on the sentence before comes after that.
 * @param context the whole question, whose other words are not required
 * @param most how many are quoted that fit equally well, such as the rows of a table
 */
export function quotesOn(part: string, { folder, sentences: texts }: Quotable, context = '', most = 1): string[] {
  const asked = queryOf(part);
  const near: Query = new Map([...queryOf(context, contextWeight)].filter(([stem]) => !asked.has(stem)));
  const hits = texts
    .search(asked, near)
    .filter(({ coverage, sentence }) => coverage >= relevant && !/[?:]$/.test(sentence.text))
    .filter((hit) => isAbout(hit, asked, near, texts));
  const best = hits[0]?.coverage ?? 0;
  return hits
    .filter(({ coverage }) => coverage >= best)
    .slice(0, most)
    .flatMap(({ index, sentence }) => {
      const before = texts.at(index - 1);
      const isLeaning = leaning.test(sentence.text) && before?.source === sentence.source;
      return isLeaning ? [before, sentence] : [sentence];
    })
    .map((sentence) => placed(sentence.text, sentence, folder));
}

export const placed = (text: string, { line, source }: Pick<Sentence, 'line' | 'source'>, folder: string): string =>
  `${text} (${folder}${source}:${line})`;

const nearby = 4;

/**
 * Rather than holding the words by chance: two stand together, or one stands in the sentence and another one names its
 * section or table row, or is what the sentence leans on. A question of one word is answered where the context is
 * spoken of too.
 */
function isAbout({ held, sentence: { heading, text } }: Hit, asked: Query, context: Query, texts: SentenceIndex) {
  const section = stemsOf(heading.split(' / ').at(-1) ?? '');
  if (asked.size === 1) return texts.shareOf(context, `${heading} ${text}`) > 0;
  // Stop words have no stems, and keep their places.
  const words = text.split(/[\s/]+/).flatMap((word) => (stemsOf(word).length > 0 ? stemsOf(word) : ['']));
  const own = new Set(words.filter((word) => asked.has(word)));
  if (leaning.test(text) && held > own.size) return true;
  const [, firstCell = ''] = /^[^:,.]+: ([^,]+)/.exec(text) ?? [];
  // A long heading holds a word of the question by chance as well.
  const names = [section, stemsOf(firstCell)]
    .map((stems) => ({ stems, shared: stems.filter((stem) => asked.has(stem)) }))
    .flatMap(({ shared, stems }) => (shared.length * 2 >= stems.length ? shared : []));
  return words.some((word, place) => {
    const others = [...names, ...words.slice(place + 1, place + 1 + nearby)];
    return own.has(word) && others.some((other) => asked.has(other) && other !== word);
  });
}

const nothing = 'Nothing found on';

export const named = (part: string): string => oneLine(part, 200);

export const nothingOn = (part: string, where: string): string => `${nothing} "${named(part)}" in ${where}.`;

export const saysNothing = (line: string): boolean => line.startsWith(nothing);
