import type { Iteration, StoredReport } from '../protocol/research.ts';
import { bounded } from '../search/tidy.ts';

/** In characters: of the whole, and of each idea and reason in it. */
const longest = { lesson: 1000, part: 140 };

/**
 * What a stored run has to teach, in a few lines for models: its idea, how it ended, what helped, and what was tried.
 * What helped comes before what was tried, which may be cut.
 */
export function lessonOf({ idea, outcome, iterations }: StoredReport): string {
  const lines = [
    `Idea: ${part(idea)}`,
    `Outcome: ${outcome}`,
    ...iterations.flatMap(helped),
    ...iterations.map(tried),
  ];
  return bounded(lines.join('\n'), longest.lesson);
}

/** A restart after which the score rose. */
function helped(
  { iteration, score, restartKind }: Iteration,
  index: number,
  iterations: Iteration[],
): string[] {
  const after = iterations[index + 1]?.score ?? null;
  if (restartKind === null || score === null || after === null || after <= score) return [];
  return [
    `Helped: the restart after iteration ${iteration} (${restartKind}) raised the score by ${round(after - score)}, ` +
      `from ${score} to ${after}`,
  ];
}

function tried({ iteration, idea, score, verdict, restartReason }: Iteration): string {
  const scored = score === null ? (verdict ?? 'not scored') : `score ${score}, ${verdict}`;
  const restarted = restartReason === null ? '' : `; restarted: ${part(restartReason)}`;
  return `Iteration ${iteration}: ${part(idea)} (${scored})${restarted}`;
}

const part = (text: string): string => bounded(text.replace(/\s+/g, ' ').trim(), longest.part);

const round = (score: number): number => Math.round(score * 100) / 100;
