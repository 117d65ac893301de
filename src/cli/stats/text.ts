import type { OrchestrationStats, ResearchStats, RestartCounts, Stats } from '../../client.ts';
import { costText, countText, numberText } from '../live/spent.ts';
import { adviceOf } from './advice.ts';

/** The figures in lines for a person. @param heading makes a heading of a text */
export function statsText(stats: Stats, heading: (text: string) => string): string {
  const { orchestration, research, unread } = stats;
  const blocks = [
    [
      heading(`Orchestrations: ${countText(orchestration.runs, 'run')}`),
      ...orchestrationLines(orchestration),
    ],
    [heading(`Research: ${countText(research.runs, 'run')}`), ...researchLines(research)],
    unread === 0 ? [] : [`Not counted: ${countText(unread, 'run')} that could not be read`],
    adviceOf(stats),
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function orchestrationLines(stats: OrchestrationStats): string[] {
  const { runs, restarted, cost, meanRun } = stats;
  if (runs === 0) return [];
  return [
    ...countLines(stats, ''),
    ...(restarted < runs ? [`  a run without a restart takes ${costText(meanRun.without)}`] : []),
    ...(restarted > 0
      ? [
          `  a run with a restart or more takes ${costText(meanRun.restarted)}`,
          `  a restart costs about ${costText(cost.perRestart)}`,
        ]
      : []),
  ];
}

function researchLines(stats: ResearchStats): string[] {
  const { runs, restarts, gain, byKind, cost } = stats;
  if (runs === 0) return [];
  if (restarts === 0) return countLines(stats, '');
  const kinds = Object.entries(byKind)
    .filter(([, counted]) => counted.restarts > 0)
    .map(([kind, counted]) => `${counted.restarts} ${kind}`);
  const { measured, rose, fell, mean } = gain;
  const change =
    measured === 0
      ? 'no restart has a score before and after'
      : `${mean > 0 ? '+' : ''}${numberText(mean, 1)} points on the average, ${rose} rose, ${fell} fell ` +
        `(${countText(measured, 'restart')} with a score before and after)`;
  return [
    ...countLines(stats, ` (${kinds.join(', ')})`),
    `  score: ${change}`,
    `  restarts have cost ${costText(cost.total)}`,
    `  a restart costs ${costText(cost.perRestart)}`,
  ];
}

/** @param kinds what is added to the number of restarts */
function countLines({ restarted, share, restarts, outcomes }: RestartCounts, kinds: string): string[] {
  if (restarted === 0) return ['  none has restarted'];
  const ends = Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`);
  return [
    `  ${restarted} restarted (${numberText(share * 100, 0)}%), with ${countText(restarts, 'restart')}${kinds}`,
    `  those ended: ${ends.join(', ')}`,
  ];
}
