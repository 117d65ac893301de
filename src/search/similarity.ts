import { stemsOf } from '../tools/words.ts';

/** How much of an idea's words a text has, from 0 to 1 in hundredths; 0 where they share fewer than two. */
export function similarityOf(idea: string, text: string): number {
  const wanted = new Set(stemsOf(idea));
  return share(wanted, new Set(stemsOf(text)), wanted.size);
}

/**
 * How near two ideas are: the words that they share, as a share of both ideas' (Dice's coefficient), from 0 to 1 in
 * hundredths. An idea that gets words of its own moves away from the one that it came from.
 * 0 where they share fewer than two: one word is a subject, and no idea.
 */
export function closeness(idea: string, other: string): number {
  const [one, two] = [new Set(stemsOf(idea)), new Set(stemsOf(other))];
  return share(one, two, (one.size + two.size) / 2);
}

/** @param whole how many shared words are all */
function share(one: Set<string>, other: Set<string>, whole: number): number {
  const shared = [...one].filter((stem) => other.has(stem)).length;
  return shared < 2 ? 0 : Math.round((shared / whole) * 100) / 100;
}
