/** The largest accepted word overlap. `lenient` refuses only duplicates. */
const overlapLimit = { lenient: 1, balanced: 0.7, strict: 0.5 };

export type NoveltyRequirement = keyof typeof overlapLimit;

const normalised = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/**
 * The Jaccard index of two texts' words; 1 for two texts without any. An answer that adds much to another one counts as
 * new.
 */
export function wordOverlap(one: string, other: string): number {
  const left = wordsOf(one);
  const right = wordsOf(other);
  const shared = [...left].filter((word) => right.has(word)).length;
  const all = left.size + right.size - shared;
  return all === 0 ? 1 : shared / all;
}

export type NoveltyProblem =
  | { kind: 'duplicate'; of: string }
  | { kind: 'not_novel'; of: string; overlap: number; limit: number };

/** Undefined when an answer is new enough, as every one is for an agent that was shown none. */
export function noveltyProblem(
  answer: string,
  shown: Array<{ name: string; content: string }>,
  requirement: NoveltyRequirement,
): NoveltyProblem | undefined {
  const same = shown.find((other) => normalised(other.content) === normalised(answer));
  if (same !== undefined) return { kind: 'duplicate', of: same.name };
  const limit = overlapLimit[requirement];
  for (const other of shown) {
    const overlap = wordOverlap(answer, other.content);
    if (overlap > limit) return { kind: 'not_novel', of: other.name, overlap, limit };
  }
  return undefined;
}
