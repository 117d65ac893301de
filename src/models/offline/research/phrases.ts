import { posix } from 'node:path';
import { queryOf } from '../../../tools/sentence-search.ts';
import { stemsOf } from '../../../tools/words.ts';
import type { Library } from '../library.ts';
import { missingIn } from './criticism.ts';
import { oneLine, shortened } from './sections.ts';

/** Longer ones make an idea hard to read. */
const longest = 60;

/** A sentence of the folder that holds this share of an idea's words is about it. */
const aboutIdea = 0.5;

/** What a criticism in any words names as missing; lines with marks quote the material. */
const naming = /\b(?:missing|lacks?|lacking|needs?|requires?|add|adding|consider)\b:?\s+([^.;:!?()[\]\n]+)/gi;
const quoting = /^.*\[\d+\.\d+\].*$/gm;

const furtherClause = /,\s*(?:and|but|or|so|since|because|which|who)\s.*$/;

const introduction =
  /^(?:please|focus on|try|use|using|look (?:at|into)|consider|add|think (?:of|about)|go for|rather|instead|a|an|any|the|more|some)\s+/i;

/** Where the folder tells of nothing, an idea can still be narrowed: with data of a kind, or with care. */
const kindsOfData = [
  'public registry data',
  'survey data of its own',
  'sensor data',
  'archive data of earlier decades',
  'news text data',
  'data from practitioners',
];
const kindsOfCare = [
  'a small trial first',
  'a plain baseline to compare with',
  'a fixed limit to losses',
  'tests by cases kept aside',
  'a rule for stopping',
  'a narrower scope',
];

export const fallbacks = (wantsNew: boolean): string[] =>
  wantsNew ? [...kindsOfData, ...kindsOfCare] : [...kindsOfCare, ...kindsOfData];

/** What a person has asked for, as words that can be added to an idea. */
export const ownWords = (guidance: string): string[] => [phraseOf(guidance.split(/(?<=[.!?])\s/)[0] ?? '')];

/** What a criticism names as missing: all of it together, then each. */
export function namedIn(criticism: string): string[] {
  const parts = missingIn(criticism)
    .split(', ')
    .filter((part) => part !== '');
  if (parts.length > 0)
    return [[parts.slice(0, -1).join(', '), parts.at(-1)].filter(Boolean).join(' and '), ...parts];
  return [...criticism.replace(quoting, '').matchAll(naming)]
    .map(([, words = '']) => phraseOf(words.replace(furtherClause, '')))
    .filter((phrase) => stemsOf(phrase.split(' ')[0] ?? '').length > 0);
}

/** What was added to a subject in ideas that were tried. */
export function triedPhrases(tried: string[], subject: string): string[] {
  return tried
    .flatMap((line) => (line.includes(subject) ? [line.slice(line.indexOf(subject) + subject.length)] : []))
    .flatMap((rest) => /^ (?:and )?(?:with|on) ([^:;("]+)/.exec(rest)?.[1] ?? [])
    .flatMap((words) => words.split(/ and (?:with|on) /))
    .map(phraseOf);
}

/**
 * Headings from the folder, those first under which a direction is spoken of: of the texts that lie beside the one that
 * is most about the subject.
 *
 * @param wantsNew leaves out the texts that are about the subject themselves
 */
export function headingsOn(
  direction: string,
  subject: string,
  library: Library,
  wantsNew: boolean,
): string[] {
  const index = library.index();
  const about = index.search(queryOf(subject)).filter(({ coverage }) => coverage >= aboutIdea);
  const [best] = about;
  if (best === undefined) return [];
  const folder = posix.dirname(best.sentence.source);
  const known = new Set(about.map(({ sentence }) => sentence.source));
  return index
    .search(queryOf(direction))
    .map(({ sentence }) => sentence)
    .filter(({ source }) => posix.dirname(source) === folder && !(wantsNew && known.has(source)))
    .map(({ heading }) => phraseOf(heading.split(' / ').at(-1) ?? ''))
    .filter((phrase) => !/^(?:what|how|why|when|who|where)\b/.test(phrase));
}

/** The phrases that add something to a subject, each once. */
export function fitting(phrases: string[], subject: string): string[] {
  const known = new Set(stemsOf(subject));
  return [...new Set(phrases)].filter((phrase) => stemsOf(phrase).some((stem) => !known.has(stem)));
}

/** Words as they stand within a sentence. */
function phraseOf(text: string): string {
  let phrase = oneLine(text)
    .replace(/[`"“”*[\]]/g, '')
    .replace(/,? (?:instead|please)$/i, '');
  while (introduction.test(phrase)) phrase = phrase.replace(introduction, '');
  return shortened(
    phrase.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase()),
    longest,
  );
}
