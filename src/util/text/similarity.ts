import { stemsOf } from './words.ts';

/** Fewer words in common than this are taken for chance, unless the idea has fewer itself. */
const fewestShared = 3;

/** The share of an idea's words that a text has, from 0 to 1 in hundredths; 0 if they share too few words to tell. */
export function similarityOf(idea: string, text: string): number {
  const wanted = wordsOf(idea);
  const shared = sharedBy(wanted, wordsOf(text));
  return shared < Math.max(2, Math.min(fewestShared, wanted.size)) ? 0 : hundredths(shared / wanted.size);
}

/**
 * Dice's coefficient of their words, in hundredths: an idea that gets further words moves away from its origin. 0 if
 * they share fewer than two words, since a single one is a subject and no idea.
 */
export function closeness(idea: string, other: string): number {
  const [one, two] = [wordsOf(idea), wordsOf(other)];
  const shared = sharedBy(one, two);
  return shared < 2 ? 0 : hundredths((2 * shared) / (one.size + two.size));
}

/** The stems of a text's words without its numbers, which do not say what an idea is. */
const wordsOf = (text: string): Set<string> => new Set(stemsOf(text).filter((stem) => !/^\d+$/.test(stem)));

const sharedBy = (one: Set<string>, other: Set<string>): number => [...one].filter((stem) => other.has(stem)).length;

const hundredths = (share: number): number => Math.round(share * 100) / 100;
