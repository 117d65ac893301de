import type { ResearchSettings } from '../../../config/research.ts';

/** The document "Conditional Restart Logic", section Scoring System: each band by its lower bound. */
const bands: Array<[from: number, name: string]> = [
  [86, 'Excellent concept'],
  [71, 'Good concept'],
  [51, 'Moderate concerns'],
  [31, 'Significant concerns'],
  [0, 'Major flaws'],
];

/** The band of a score from 0 to 100, by its name. One of 30.4 has not reached the next band. */
export function verdictOf(score: number): string {
  return bands.find(([from]) => score >= from)?.[1] ?? '';
}

/**
 * The viability score: the mean of the aspects' scores by their weights, to one decimal.
 *
 * @param weights their sum is more than 0; an aspect that has no score counts as 0
 */
export function viabilityOf(scores: Record<string, number>, weights: Record<string, number>): number {
  const aspects = Object.entries(weights);
  const whole = aspects.reduce((sum, [, weight]) => sum + weight, 0);
  const mean = aspects.reduce((sum, [aspect, weight]) => sum + (weight / whole) * (scores[aspect] ?? 0), 0);
  return Math.round(mean * 10) / 10;
}

/**
 * What follows a criticism (the same document, section Conditional Routing): on to the synthesis, back to planning for
 * the reason that is named, or the end of the run.
 *
 * @param score null: the critic gave none
 */
export function nextStep(
  score: number | null,
  { min_viability_score, on_missing_score }: Pick<ResearchSettings, 'min_viability_score' | 'on_missing_score'>,
): 'proceed' | 'viability' | 'no_score' | 'fail' {
  if (score !== null) return score >= min_viability_score ? 'proceed' : 'viability';
  return on_missing_score === 'restart' ? 'no_score' : on_missing_score;
}
