import { describe, expect, test } from 'vitest';
import { scoreIn } from '../../src/workflows/research/rules/score.ts';

/** Texts of a kind, and the score that is read in each. */
export function scores(kind: string, rows: Array<[text: string, score: number | undefined]>): void {
  describe(kind, () => {
    test.each(rows)('%j → %s', (text, score) => {
      expect(scoreIn(text)).toBe(score);
    });
  });
}

/** Texts of a kind in which no score may be read. */
export const noScore = (kind: string, texts: string[]): void =>
  scores(
    kind,
    texts.map((text) => [text, undefined]),
  );
