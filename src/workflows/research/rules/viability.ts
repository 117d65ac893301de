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

export type NextStep =
  | { kind: 'restart'; why: 'viability' | 'no score' }
  /** `iteration_limit`: it is not good enough, and no iteration is left. */
  | { kind: 'proceed'; outcome: 'viable' | 'iteration_limit' }
  | { kind: 'fail' };

/** What follows a criticism (the same document, section Conditional Routing). */
export function nextStep({
  score,
  iteration,
  settings,
}: {
  /** Null: the critic gave none. */
  score: number | null;
  /** From 1. */
  iteration: number;
  settings: Pick<ResearchSettings, 'min_viability_score' | 'max_planning_iterations' | 'on_missing_score'>;
}): NextStep {
  const { max_planning_iterations, min_viability_score, on_missing_score } = settings;
  if (score === null && on_missing_score === 'fail') return { kind: 'fail' };
  const isEnough = score === null ? on_missing_score === 'proceed' : score >= min_viability_score;
  if (isEnough) return { kind: 'proceed', outcome: 'viable' };
  if (iteration >= max_planning_iterations) return { kind: 'proceed', outcome: 'iteration_limit' };
  return { kind: 'restart', why: score === null ? 'no score' : 'viability' };
}

/**
 * The iteration with the best score; of equals the later one, which has learnt from the other. One without a score is
 * below all others.
 *
 * @param iterations one at least
 */
export function bestOf<T extends { score: number | null }>(iterations: T[]): T {
  return iterations.reduce((best, each) => ((each.score ?? -1) >= (best.score ?? -1) ? each : best));
}
