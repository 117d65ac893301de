/** How different an answer must be from those that its author was shown. */
export type NoveltyRequirement = 'lenient' | 'balanced' | 'strict';

/** The largest word overlap that is accepted; `lenient` refuses only duplicates. */
export const overlapLimit: Record<NoveltyRequirement, number> = { lenient: 1, balanced: 0.7, strict: 0.5 };

const normalised = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

/** Words in both texts over words in either (Jaccard index), 0 to 1; two texts without words overlap fully. */
export function wordOverlap(one: string, other: string): number {
  const left = wordsOf(one);
  const right = wordsOf(other);
  const shared = [...left].filter((word) => right.has(word)).length;
  const all = left.size + right.size - shared;
  return all === 0 ? 1 : shared / all;
}

export type NoveltyProblem =
  { kind: 'duplicate'; of: string } | { kind: 'not_novel'; of: string; overlap: number; limit: number };

/**
 * Why an answer is not new enough beside those in its author's prompt, or undefined when it is.
 * A first answer is written without having seen any, so nothing can refuse it.
 */
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
