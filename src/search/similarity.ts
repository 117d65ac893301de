import { stemsOf } from '../tools/words.ts';

/** Fewer words in common are chance, unless an idea has no more. */
const fewestShared = 3;

/** How much of an idea's words a text has, from 0 to 1 in hundredths; 0 where they share too few to tell. */
export function similarityOf(idea: string, text: string): number {
  const wanted = wordsOf(idea);
  const shared = sharedBy(wanted, wordsOf(text));
  return shared < Math.max(2, Math.min(fewestShared, wanted.size)) ? 0 : hundredths(shared / wanted.size);
}

/**
 * How near two ideas are: the words that they share, as a share of both ideas' (Dice's coefficient), from 0 to 1 in
 * hundredths. An idea that gets words of its own moves away from the one that it came from.
 * 0 where they share fewer than two: one word is a subject, and no idea.
 */
export function closeness(idea: string, other: string): number {
  const [one, two] = [wordsOf(idea), wordsOf(other)];
  const shared = sharedBy(one, two);
  return shared < 2 ? 0 : hundredths((2 * shared) / (one.size + two.size));
}

/** The words that say what an idea is; numbers do not. */
const wordsOf = (text: string): Set<string> => new Set(stemsOf(text).filter((stem) => !/^\d+$/.test(stem)));

const sharedBy = (one: Set<string>, other: Set<string>): number => [...one].filter((stem) => other.has(stem)).length;

const hundredths = (share: number): number => Math.round(share * 100) / 100;
