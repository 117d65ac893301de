import type { ResearchSettings } from '../config/research.ts';

/** The bands of a score by their lower bounds (the document "Conditional Restart Logic", section Scoring System). */
const bands: Array<[from: number, name: string]> = [
  [86, 'Excellent concept'],
  [71, 'Good concept'],
  [51, 'Moderate concerns'],
  [31, 'Significant concerns'],
];

const lowest = 'Major flaws';

/** The name of the band that a score of 0 to 100 is in; 30.4 is below 31 still. */
export function verdictOf(score: number): string {
  return bands.find(([from]) => score >= from)?.[1] ?? lowest;
}

/** More than what sums of decimals are off by, and less than any difference between two scores. */
const noise = 1e-9;

/**
 * The weighted mean of the scores of single aspects, to one decimal (section Future Enhancements, Weighted Scoring).
 * Aspects without a weight do not count, nor do weights without a score; undefined: nothing counts.
 *
 * @param scores 0 to 100 each
 */
export function viabilityOf(
  scores: Record<string, number>,
  weights: Record<string, number>,
): number | undefined {
  const counted = Object.entries(weights).filter(
    ([aspect, weight]) => weight > 0 && Object.hasOwn(scores, aspect),
  );
  // In shares of the largest, so that no sum overflows.
  const largest = Math.max(...counted.map(([, weight]) => weight));
  const shares = counted.map(([aspect, weight]) => ({ score: scores[aspect] ?? 0, share: weight / largest }));
  const all = shares.reduce((sum, { share }) => sum + share, 0);
  if (all === 0) return undefined;
  const mean = shares.reduce((sum, { score, share }) => sum + score * (share / all), 0);
  return Math.round(mean * 10 + noise) / 10;
}

/** What follows a criticism. */
export type Step =
  | { kind: 'restart'; why: 'viability' | 'no score' }
  | { kind: 'proceed'; outcome: 'viable' | 'iteration_limit' }
  | { kind: 'fail' };

/**
 * What follows a criticism (sections When Restarts Occur, Automatic Quality Control): a low score restarts the planning
 * while iterations are left; without a score `on_missing_score` decides.
 *
 * @param situation `score`: null where the critic gave none; `iteration`: of the plan that was criticised, from 1
 */
export function nextStep({
  score,
  iteration,
  settings,
}: {
  score: number | null;
  iteration: number;
  settings: Pick<ResearchSettings, 'min_viability_score' | 'max_planning_iterations' | 'on_missing_score'>;
}): Step {
  if (score === null && settings.on_missing_score === 'fail') return { kind: 'fail' };
  const good =
    score === null ? settings.on_missing_score === 'proceed' : score >= settings.min_viability_score;
  if (good) return { kind: 'proceed', outcome: 'viable' };
  if (iteration >= settings.max_planning_iterations) return { kind: 'proceed', outcome: 'iteration_limit' };
  return { kind: 'restart', why: score === null ? 'no score' : 'viability' };
}

/** The iteration with the best score, of equals the later one; one without a score is below any; undefined: there is none. */
export function bestOf<I extends { score: number | null }>(iterations: I[]): I | undefined {
  return iterations.reduce<I | undefined>(
    (best, each) => (best === undefined || (each.score ?? -1) >= (best.score ?? -1) ? each : best),
    undefined,
  );
}
