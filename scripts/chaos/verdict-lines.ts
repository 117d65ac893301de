import type { Verdict } from './verdict.ts';

const list = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ') || 'none';

/** The verdict as lines of text, with what broke a promise below the promise. */
export function verdictLines(verdict: Verdict, disturbances: Record<string, number>): string[] {
  const { answers, effects, finished, outcomes, runs, toolResults, unkept } = verdict;
  const evidence = (promise: string, broken: string[]): string[] => [
    `${promise} ${broken.length}`,
    ...broken.map((text) => `  ${text}`),
  ];
  return [
    `runs ${runs}: ${list(outcomes)}`,
    `disturbances: ${list(disturbances)}`,
    `provider's faults: ${list(verdict.faults)}`,
    `odd replies: ${list(verdict.oddities)}`,
    `finished calls ${finished}, replies that died with their worker ${unkept}, effects ${effects}, answers of a person ${answers}`,
    `results of quick tools ${toolResults.read}, failed ${toolResults.failed.length}`,
    ...[...new Set(toolResults.failed)].map((text) => `  ${text}`),
    ...evidence('lost', verdict.lost),
    ...evidence('repeated', verdict.repeated),
    ...evidence('double effects', verdict.doubled),
    ...evidence('unanswered', verdict.unanswered),
    ...evidence('swapped', verdict.swapped),
    ...(verdict.refused.length > 0 ? evidence('refused by the provider', verdict.refused) : []),
  ];
}
