const bands = [[86,'Excellent concept'],[71,'Good concept'],[51,'Moderate concerns'],[31,'Significant concerns'],[0,'Major flaws']] as const;
export const verdictOf = (score: number): string => bands.find(([from]) => score >= from)?.[1] ?? 'Major flaws';
export function viabilityOf(scores: Record<string, number>, weights: Record<string, number>): number {
  const entries = Object.entries(weights);
  const whole = entries.reduce((sum, [, w]) => sum + w, 0);
  return Math.round((entries.reduce((sum, [a, w]) => sum + w * (scores[a] ?? 0), 0) / whole) * 10) / 10;
}
export type Next = { kind: 'restart'; why: 'viability' | 'no score' } | { kind: 'proceed'; outcome: 'viable' | 'iteration_limit' } | { kind: 'fail' };
export function nextStep({ score, iteration, settings }: { score: number | null; iteration: number; settings: { min_viability_score: number; max_planning_iterations: number; on_missing_score: 'restart'|'proceed'|'fail' } }): Next {
  if (score === null && settings.on_missing_score === 'fail') return { kind: 'fail' };
  if (score === null ? settings.on_missing_score === 'proceed' : score >= settings.min_viability_score) return { kind: 'proceed', outcome: 'viable' };
  if (iteration >= settings.max_planning_iterations) return { kind: 'proceed', outcome: 'iteration_limit' };
  return { kind: 'restart', why: score === null ? 'no score' : 'viability' };
}
export function bestOf<T extends { score: number | null }>(iterations: T[]): T {
  return iterations.reduce((best, each) => ((each.score ?? -1) >= (best.score ?? -1) ? each : best));
}
