import type { OrchestrationStats, ResearchStats, Stats } from '../../client.ts';
import { costText, numberText } from '../live/spent.ts';

/** Fewer cases tell nothing. */
const fewest = 5;

/** Whether restarts pay, a sentence for each type of runs that there are. Nothing follows from it by itself. */
export const adviceOf = ({ orchestration, research }: Stats): string[] => [
  ...aboutOrchestrations(orchestration),
  ...aboutResearches(research),
];

function aboutOrchestrations(stats: OrchestrationStats): string[] {
  const { runs, restarted, outcomes } = stats;
  if (runs === 0) return [];
  if (restarted === 0 && runs >= fewest)
    return [
      `None of ${runs} orchestrations has restarted: the limit max_orchestration_restarts costs nothing.`,
    ];
  if (restarted < fewest)
    return [
      `Too few orchestrations have restarted to tell whether it pays: ${restarted}, of ${fewest} at least.`,
    ];
  const submitted = outcomes['submitted'] ?? 0;
  const of = `${submitted} of ${restarted} orchestrations that restarted ended with an answer that was submitted`;
  return [
    submitted * 2 >= restarted
      ? `${of}: the limit max_orchestration_restarts pays.`
      : `Only ${of}: a lower max_orchestration_restarts would save up to ${savingOf(stats)}.`,
  ];
}

function aboutResearches(stats: ResearchStats): string[] {
  const { runs, restarts, byKind } = stats;
  const { measured, rose, mean } = byKind.viability.gain;
  if (runs === 0) return [];
  if (restarts === 0 && runs >= fewest)
    return [
      `None of ${runs} runs of research has restarted: the limit max_planning_iterations costs nothing.`,
    ];
  if (measured < fewest)
    return [
      `Too few restarts for viability have a score before and after to tell whether they pay: ${measured}, of ${fewest} at least.`,
    ];
  const points = `${numberText(Math.abs(mean), 1)} points on the average`;
  const cases = `in ${rose} of ${measured} cases`;
  if (mean <= 0)
    return [
      `Restarts for viability have not raised the score (${mean < 0 ? '-' : ''}${points}; it rose ${cases}): ` +
        `a lower max_planning_iterations would save up to ${savingOf(stats)}.`,
    ];
  if (rose * 2 <= measured)
    return [
      `Restarts for viability have gained ${points}, but the score rose only ${cases}: ` +
        `a lower max_planning_iterations would save up to ${savingOf(stats)}.`,
    ];
  return [
    `Restarts for viability have gained ${points}; the score rose ${cases}: the limit max_planning_iterations pays.`,
  ];
}

/** What runs would take less without any restart. */
function savingOf({ runs, cost: { total } }: OrchestrationStats | ResearchStats): string {
  const { calls, tokens, costUsd } = total;
  return `${costText({ calls: calls / runs, tokens: tokens / runs, costUsd: costUsd / runs })} a run`;
}
