import { SentenceIndex } from '../../tools/sentence-search.ts';
import type { Sentence } from '../../tools/sentences.ts';
import type { Finding } from './findings.ts';
import { exchangesIn, linesOf } from './heard.ts';
import type { Library } from './library.ts';
import type { Prompt } from './prompt.ts';
import { readQuestion } from './question.ts';

/** Texts that are searched together, and how their places are named. */
export interface Shelf {
  index: SentenceIndex;
  placeOf(sentence: Sentence): string;
}

/** All that an agent can answer from, the surest first: what it was given, its folder, what it was told, old answers. */
export function shelvesOf(prompt: Prompt, library: Library): Shelf[] {
  const given = [readQuestion(prompt.task).given, prompt.conversation].filter((text) => text.trim() !== '');
  const heard = exchangesIn(prompt.asks).flatMap(({ said }) => said.flatMap(linesOf));
  return [
    ...given.map((text) => numbered(new SentenceIndex([{ name: 'the text given', text }]))),
    numbered(library.index()),
    shelfOf(heard),
    shelfOf(prompt.earlier.flatMap((text) => linesOf({ who: 'an earlier answer', text }))),
  ];
}

/** A shelf of lines that have their places already. */
export function shelfOf(lines: Finding['sentences']): Shelf {
  return {
    index: new SentenceIndex(lines.map(({ text, place }) => ({ name: place, text }))),
    placeOf: ({ source }) => source,
  };
}

/** A shelf whose places are lines. */
export const numbered = (index: SentenceIndex): Shelf => ({
  index,
  placeOf: ({ source, line }) => `${source}:${line}`,
});
