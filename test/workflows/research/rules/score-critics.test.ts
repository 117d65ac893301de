import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { scoreIn } from '../../../../src/workflows/research/rules/score.ts';

/** A hundred texts as critics write them, each below its score: `=== 65`, or `=== none`. */
const file = readFileSync(new URL('../../../fixtures/critics/texts.txt', import.meta.url), 'utf8');
const texts = file
  .split(/^=== /m)
  .slice(1)
  .map((part) => {
    const end = part.indexOf('\n');
    return { score: part.startsWith('none') ? undefined : Number(part.slice(0, end)), text: part.slice(end).trim() };
  });

describe('texts as critics write them', () => {
  test.each(texts)('give $score or none: $text', ({ score, text }) => {
    expect([score, undefined]).toContain(scoreIn(text));
  });

  test('give it in nineteen of twenty cases', () => {
    const scored = texts.filter(({ score }) => score !== undefined);
    const read = scored.filter(({ score, text }) => scoreIn(text) === score);
    expect(read.length / scored.length).toBeGreaterThanOrEqual(0.95);
  });
});
