import { createColors } from 'picocolors';
import { open, withConnection } from '../connection.ts';
import { reasonOf } from '../failures.ts';
import { printable } from '../../util/text/printable.ts';
import type { CommonOptions } from '../options.ts';
import type { Shell } from '../shell.ts';
import { paragraphs } from '../show/layout.ts';
import type { OrchestrationStats, ResearchStats, RestartCounts, SolveStats, Stats } from '../../client.ts';
import { inWords } from '../../workflows/runtime/details.ts';
import { costText, countText, numberText } from '../../client/show/spent.ts';

export async function stats(shell: Shell, { json, plain, ...options }: CommonOptions): Promise<void> {
  await withConnection(open(shell, options), async ({ reprise }) => {
    const found = await reprise.stats({
      onRead: (runs) => runs % 50 === 0 && shell.say(`${runs} runs read …`),
      onUnread: (id, reason) => shell.say(`Warning: the run ${printable(id)} could not be read (${reasonOf(reason)})`),
    });
    const { orchestration, planAndExecute, research, unread } = found;
    const isEmpty = orchestration.runs + research.runs + planAndExecute.runs + unread === 0;
    const { bold } = createColors(shell.isColored(shell.stdout) && !plain);
    if (json) await shell.printJson({ ...found, advice: adviceOf(found) });
    else if (isEmpty) shell.say('No orchestration, no research and no plan has completed yet');
    else await shell.print(statsText(found, bold));
  });
}

function statsText(stats: Stats, heading: (text: string) => string): string {
  const { orchestration, planAndExecute, research, unread } = stats;
  return paragraphs([
    [heading(`Orchestrations: ${countText(orchestration.runs, 'run')}`), ...orchestrationLines(orchestration)],
    [heading(`Research: ${countText(research.runs, 'run')}`), ...researchLines(research)],
    [heading(`Plans: ${countText(planAndExecute.runs, 'run')}`), ...planLines(planAndExecute)],
    unread === 0 ? [] : [`Not counted: ${countText(unread, 'run')} that could not be read`],
    adviceOf(stats),
  ]);
}

function orchestrationLines(stats: OrchestrationStats): string[] {
  const { runs, restarted, cost, meanRun } = stats;
  if (runs === 0) return [];
  return [
    ...countLines(stats, ''),
    ...(restarted < runs ? [`  a run without a restart takes ${costText(meanRun.without)}`] : []),
    ...(restarted === 0 ? [] : [`  a run with a restart or more takes ${costText(meanRun.restarted)}`]),
    ...(restarted === 0 ? [] : [`  a restart costs about ${costText(cost.perRestart)}`]),
  ];
}

function researchLines(stats: ResearchStats): string[] {
  const { runs, restarts, gain, byKind, cost } = stats;
  if (runs === 0) return [];
  if (restarts === 0) return countLines(stats, '');
  const kinds = Object.entries(byKind)
    .filter(([, counted]) => counted.restarts > 0)
    .map(([kind, counted]) => `${counted.restarts} ${inWords(kind)}`);
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

function planLines({ executions, outcomes, retried, retries, runs, saved, share }: SolveStats): string[] {
  if (runs === 0) return [];
  if (retried === 0) return ['  none was retried'];
  const { again, done, savedShare, whole } = executions;
  return [
    `  ${retried} retried (${numberText(share * 100, 0)}%), with ${countText(retries, 'retry', 'retries')}`,
    `  those ended: ${endsText(outcomes)}`,
    `  their subtasks were executed ${countText(done, 'time')}, ${numberText(again, 0)} of them again after a failure`,
    `  with the whole plan executed in each round it would have been ${numberText(whole, 0)}: ${numberText(savedShare * 100, 0)}% fewer`,
    `  not executing again what was completed has saved about ${costText(saved)}`,
  ];
}

const endsText = (outcomes: RestartCounts['outcomes']): string =>
  Object.entries(outcomes)
    .sort(([, one], [, other]) => other - one)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');

/** @param kinds text that follows the number of restarts */
function countLines({ restarted, share, restarts, outcomes }: RestartCounts, kinds: string): string[] {
  if (restarted === 0) return ['  none has restarted'];
  return [
    `  ${restarted} restarted (${numberText(share * 100, 0)}%), with ${countText(restarts, 'restart')}${kinds}`,
    `  those ended: ${endsText(outcomes)}`,
  ];
}

const fewest = 5;

/** Whether restarts pay: one sentence for each workflow type that has runs. It is for people; no code acts on it. */
export const adviceOf = ({ orchestration, planAndExecute, research }: Stats): string[] => [
  ...aboutOrchestrations(orchestration),
  ...aboutResearches(research),
  ...aboutPlans(planAndExecute),
];

function aboutPlans({ outcomes, retried, runs }: SolveStats): string[] {
  if (runs === 0) return [];
  if (retried === 0 && runs >= fewest)
    return [`None of ${runs} plans was retried: the limit max_retries costs nothing.`];
  if (retried < fewest)
    return [`Too few plans were retried to tell whether it pays: ${retried}, of ${fewest} at least.`];
  const complete = outcomes['complete'] ?? 0;
  const of = `${complete} of ${retried} plans that were retried ended complete`;
  return [complete * 2 >= retried ? `${of}: the limit max_retries pays.` : `Only ${of}: a lower max_retries may do.`];
}

function aboutOrchestrations(stats: OrchestrationStats): string[] {
  const { runs, restarted, outcomes } = stats;
  if (runs === 0) return [];
  if (restarted === 0 && runs >= fewest)
    return [`None of ${runs} orchestrations has restarted: the limit max_orchestration_restarts costs nothing.`];
  if (restarted < fewest)
    return [`Too few orchestrations have restarted to tell whether it pays: ${restarted}, of ${fewest} at least.`];
  const submitted = (outcomes['submitted'] ?? 0) + (outcomes['degraded'] ?? 0);
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
    return [`None of ${runs} runs of research has restarted: the limit max_planning_iterations costs nothing.`];
  if (measured < fewest)
    return [
      `Too few restarts for viability have a score before and after to tell whether they pay: ${measured}, of ${fewest} at least.`,
    ];
  const points = `${numberText(Math.abs(mean), 1)} points on the average`;
  const cases = `in ${rose} of ${measured} cases`;
  const saving = `a lower max_planning_iterations would save up to ${savingOf(stats)}.`;
  if (mean <= 0)
    return [
      `Restarts for viability have not raised the score (${mean < 0 ? '-' : ''}${points}; it rose ${cases}): ${saving}`,
    ];
  if (rose * 2 <= measured)
    return [`Restarts for viability have gained ${points}, but the score rose only ${cases}: ${saving}`];
  return [
    `Restarts for viability have gained ${points}; the score rose ${cases}: the limit max_planning_iterations pays.`,
  ];
}

/** What a run would cost less, on the average, if no run restarted. */
function savingOf({ runs, cost: { total } }: OrchestrationStats | ResearchStats): string {
  const { calls, tokens, costUsd } = total;
  return `${costText({ calls: calls / runs, tokens: tokens / runs, costUsd: costUsd / runs })} a run`;
}
