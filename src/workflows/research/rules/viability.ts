import type { ResearchSettings } from '../../../protocol/settings.ts';

/** From the document "Conditional Restart Logic", section Scoring System, each with its lower bound. */
const bands: Array<[from: number, name: string]> = [
  [86, 'Excellent concept'],
  [71, 'Good concept'],
  [51, 'Moderate concerns'],
  [31, 'Significant concerns'],
  [0, 'Major flaws'],
];

/** Bounds are not rounded: 30.4 is still in the lowest band. */
export function verdictOf(score: number): string {
  return bands.find(([from]) => score >= from)?.[1] ?? '';
}

/** The weighted mean, rounded to one decimal. An aspect without a score counts as 0. @param weights their sum is more than 0 */
export function viabilityOf(scores: Record<string, number>, weights: Record<string, number>): number {
  const aspects = Object.entries(weights);
  const whole = aspects.reduce((sum, [, weight]) => sum + weight, 0);
  const mean = aspects.reduce((sum, [aspect, weight]) => sum + (weight / whole) * (scores[aspect] ?? 0), 0);
  return Math.round(mean * 10) / 10;
}

/** See the document "Conditional Restart Logic", section Conditional Routing. @param score null if the critic gave none */
export function nextStep(
  score: number | null,
  { min_viability_score, on_missing_score }: Pick<ResearchSettings, 'min_viability_score' | 'on_missing_score'>,
): 'proceed' | 'viability' | 'no_score' | 'fail' {
  if (score !== null) return score >= min_viability_score ? 'proceed' : 'viability';
  return on_missing_score === 'restart' ? 'no_score' : on_missing_score;
}
