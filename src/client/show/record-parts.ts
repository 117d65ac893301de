import type { Iteration } from '../../protocol/research.ts';
import type { SubtaskReport } from '../../protocol/plan-and-execute.ts';
import type { RunResult } from '../../protocol/state.ts';
import type { RunFiles } from '../../protocol/workspace.ts';
import { markdownOf } from '../../workflows/research/rules/report.ts';
import { judgementOf } from '../../workflows/research/view.ts';
import { inWords } from '../../workflows/runtime/details.ts';
import { progressOf } from './progress.ts';
import type { RunRecord } from './show.ts';
import { countText } from './spent.ts';
import type { RunStep } from './step.ts';

export function standOf({ outcome, state, status }: Pick<RunRecord, 'outcome' | 'state' | 'status'>): string {
  if (outcome !== null) return inWords(outcome);
  return state === null ? inWords(status) : progressOf(state);
}

/** A record in which the commands that Reprise names can be typed; those of models stay as they are. */
export const withTyped = (record: RunRecord, typed: (text: string) => string): RunRecord => ({
  ...record,
  failure: record.failure && typed(record.failure),
  notes: record.notes.map(typed),
  warnings: record.warnings.map(typed),
  waiting: record.waiting.map((each) => ({ ...each, question: typed(each.question) })),
});

/** Whether a step's text is the run's answer or report, which has a place of its own. */
export function isShownBelow(step: RunStep, result: RunRecord['result']): boolean {
  if (result === null || result.workflow === 'session') return false;
  if (result.workflow === 'research')
    return step.type === 'submitted' && step.tool === 'submit_report' && step.refused === undefined;
  return (step.type === 'presented' || step.type === 'said') && step.text === result.answer.trim();
}

export function placeOf({ part, turn }: RunStep): string {
  const places = [...(turn === 0 ? [] : [`Turn ${turn}`]), ...(part === '' ? [] : [part])].join(', ');
  return places.slice(0, 1).toUpperCase() + places.slice(1);
}

export const listText = (texts: string[]): string => texts.map((text) => `- ${text}`).join('\n');

/** What a run has come to as text: its answer, or its report. */
export const answerOf = (result: RunResult): string =>
  result.workflow === 'research' ? markdownOf(result.report) : result.answer;

/** What a run has come to so far, in parts that have titles: iterations or subtasks, and the answer. A part may be empty. */
export function resultParts({ result, state, steps }: RunRecord): Array<[title: string, text: string]> {
  const shown = result ?? state;
  switch (shown?.workflow) {
    case 'research':
      return [
        ['Iterations', shown.iterations.map(iterationText).join('\n')],
        ['Gaps', 'gaps' in shown ? listText(shown.gaps) : ''],
        ['Report', 'report' in shown ? markdownOf(shown.report) : ''],
      ];
    case 'planAndExecute': {
      const said = new Set(steps.flatMap((step) => (step.type === 'finished' ? [step.text] : [])));
      return [
        ['Subtasks', shown.subtasks.map((each) => subtaskText(each, said)).join('\n')],
        ['Answer', 'answer' in shown ? shown.answer : ''],
      ];
    }
    case 'orchestration':
      return 'answer' in shown ? [[`Answer, by ${shown.finalAgent}`, shown.answer]] : [];
    default:
      return [];
  }
}

function iterationText(each: Iteration): string {
  const { idea, iteration, restartReason } = each;
  const again = restartReason === null ? '' : `; planned again: ${restartReason}`;
  return `${iteration}. ${idea}: ${judgementOf(each)}${again}`;
}

/** @param said the results that are shown already */
function subtaskText(subtask: SubtaskReport, said: Set<string>): string {
  const { dependsOn, description, error, executions, id, replacedBy, result, status } = subtask;
  const facts = [
    status,
    countText(executions, 'execution'),
    ...(dependsOn.length === 0 ? [] : [`after ${dependsOn.join(', ')}`]),
    ...(replacedBy === undefined ? [] : [`replaced by ${replacedBy.join(', ')}`]),
  ];
  return [
    `${id}: ${description} (${facts.join(', ')})`,
    ...(error === undefined ? [] : [`  ${error}`]),
    ...(result === undefined || said.has(result.trim()) ? [] : result.split('\n').map((line) => `  ${line}`)),
  ].join('\n');
}

/** What has become of files: the paths that are told, and how many more there are. */
export function changesOf({ added, changed, count, removed }: RunFiles): {
  paths: Array<[path: string, how: string]>;
  more: number;
} {
  const paths = Object.entries({ new: added, changed, removed }).flatMap(([how, each]) =>
    each.map((path): [string, string] => [path, how]),
  );
  return { paths, more: count - paths.length };
}
