import type { Iteration, RunRecord, RunStep, SubtaskReport, ShownCall } from '../../client.ts';
import { markdownOf } from '../../workflows/research/rules/report.ts';
import { judgementOf } from '../../workflows/research/view.ts';
import { inWords } from '../../workflows/runtime/details.ts';
import { durationText } from '../../workflows/runtime/duration.ts';
import { progressOf } from '../live/progress.ts';
import { countText, spentText, numberText } from '../live/spent.ts';
import { body, emphasised, heading, type Layout, label } from './layout.ts';
import { kindOf, waitText } from './kinds.ts';
import { stepLines } from './step-text.ts';

/** A run for a person: its question, what has happened in it, its answer, and what it has cost. */
export function recordText(record: RunRecord, layout: Layout): string {
  const blocks = [
    headLines(record, layout),
    ...(record.calls === undefined
      ? [...happeningBlocks(record, layout), ...resultBlocks(record, layout)]
      : record.calls.map((call) => callLines(call, layout))),
    filesBlock(record, layout),
    listBlock('Warnings', record.warnings, layout),
    costLines(record, layout),
  ];
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function headLines(record: RunRecord, layout: Layout): string[] {
  const { endedAt, failure, id, notes, question, startedAt, usage, waiting, workflow } = record;
  const elapsed = Date.parse(endedAt ?? new Date().toISOString()) - Date.parse(startedAt);
  const facts = [kindOf(workflow), standOf(record), durationText(elapsed), spentText(usage)].join(', ');
  const asked = waiting.map((each) => `It ${waitText(each)}`);
  return [
    ...body(question, { ...layout, columns: layout.columns + 2 }).map((line) => emphasised(line.slice(2), layout)),
    '',
    ...body(`${id}: ${facts}`, layout),
    ...body(`${timeText(startedAt)} to ${endedAt === null ? 'now' : timeText(endedAt)}`, layout),
    ...[...(failure === null ? [] : [`Failed: ${failure}`]), ...asked, ...notes].flatMap((text) => body(text, layout)),
  ];
}

/** How a run has ended, or what it is doing. */
function standOf({ outcome, state, status }: Pick<RunRecord, 'outcome' | 'state' | 'status'>): string {
  if (outcome !== null) return inWords(outcome);
  return state === null ? inWords(status) : progressOf(state);
}

const timeText = (at: string): string => at.replace('T', ' ').replace(/\..*$/, ' UTC');

/** The steps under headings for turns, and for attempts, iterations or rounds. */
function happeningBlocks({ result, steps }: RunRecord, layout: Layout): string[][] {
  let place = '';
  return steps.flatMap((step) => {
    const now = placeOf(step);
    const isNew = now !== place;
    place = now;
    const lines = stepLines(step, layout);
    const shown = isShownBelow(step, result) ? lines.slice(0, 1) : lines;
    return [...(isNew && now !== '' ? [[heading(now, layout)]] : []), shown];
  });
}

/** Whether a step's text is the run's answer or report, which has a place of its own. */
function isShownBelow(step: RunStep, result: RunRecord['result']): boolean {
  if (result === null || result.workflow === 'session') return false;
  if (result.workflow === 'research')
    return step.type === 'submitted' && step.tool === 'submit_report' && step.refused === undefined;
  return (step.type === 'presented' || step.type === 'said') && step.text === result.answer.trim();
}

function placeOf({ part, turn }: RunStep): string {
  const places = [...(turn === 0 ? [] : [`Turn ${turn}`]), ...(part === '' ? [] : [part])].join(', ');
  return places.slice(0, 1).toUpperCase() + places.slice(1);
}

function resultBlocks({ result, state, steps }: RunRecord, layout: Layout): string[][] {
  const shown = result ?? state;
  switch (shown?.workflow) {
    case 'research':
      return [
        titled('Iterations', shown.iterations.map(iterationText).join('\n'), layout),
        ...('report' in shown
          ? [listBlock('Gaps', shown.gaps, layout), titled('Report', markdownOf(shown.report), layout)]
          : []),
      ];
    case 'planAndExecute': {
      const said = new Set(steps.flatMap((step) => (step.type === 'finished' ? [step.text] : [])));
      const subtasks = shown.subtasks.map((each) => subtaskText(each, said)).join('\n');
      return [
        titled('Subtasks', subtasks, layout),
        ...('answer' in shown ? [titled('Answer', shown.answer, layout)] : []),
      ];
    }
    case 'orchestration':
      return 'answer' in shown ? [titled(`Answer, by ${shown.finalAgent}`, shown.answer, layout)] : [];
    default:
      return [];
  }
}

function titled(title: string, text: string, layout: Layout): string[] {
  return text.trim() === '' ? [] : [heading(title, layout), ...body(text, layout)];
}

const listBlock = (title: string, texts: string[], layout: Layout): string[] =>
  titled(title, texts.map((text) => `- ${text}`).join('\n'), layout);

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

/** How many characters of a tree's id are shown. */
const shownOfId = 12;

/** What has become of files, and those of a team's attempts, which stay in the store. */
function filesBlock({ result, workspace }: RunRecord, layout: Layout): string[] {
  const { added = [], bytes = 0, changed = [], count = 0, files = 0, removed = [] } = workspace ?? {};
  const lines = Object.entries({ new: added, changed, removed }).flatMap(([how, paths]) =>
    paths.map((path) => `- ${path} (${how})`),
  );
  const more = count > lines.length ? [`- and ${count - lines.length} more`] : [];
  const snapshots = (result?.workflow === 'orchestration' ? result.snapshots : undefined) ?? [];
  const kept = snapshots.map(({ agents, attempt }) => {
    const trees = Object.entries(agents).map(([id, tree]) => `${id} ${tree?.slice(0, shownOfId) ?? 'none'}`);
    return `Attempt ${attempt}: ${trees.join(', ')}`;
  });
  const total = workspace === null ? [] : [`${countText(files, 'file')}, ${bytes} bytes`];
  return titled('Files', [...total, ...lines, ...more, ...kept].join('\n'), layout);
}

function costLines({ usage }: RunRecord, layout: Layout): string[] {
  const agents = Object.entries(usage.byAgent);
  const width = Math.max(0, ...agents.map(([id]) => id.length));
  return titled('Cost', agents.map(([id, spent]) => `${id.padEnd(width)}  ${spentText(spent)}`).join('\n'), layout);
}

/** A call of a model in lines for a person: what it was sent, which tools it was offered, and what it replied. */
function callLines(call: ShownCall, layout: Layout): string[] {
  const { agent, at, earlier, endedAt, failure, model, part, purpose, reply, sent, turn, usage } = call;
  const place = turn > 0 && part.startsWith('attempt') ? `turn ${turn}, ${part}` : part;
  const facts = [
    ...(endedAt === undefined ? ['under way'] : [durationText(Date.parse(endedAt) - Date.parse(at))]),
    ...(usage === undefined
      ? []
      : [`${numberText(usage.inputTokens, 0)} tokens in, ${numberText(usage.outputTokens, 0)} out`]),
    ...(earlier === 0 ? [] : [`after ${countText(earlier, 'earlier message')} of the conversation`]),
  ];
  return [
    heading(`${agent}: ${purpose}, ${place}, ${model}`, layout),
    ...body(facts.join(', '), layout),
    ...sent.flatMap(({ images, role, text }) => [
      ...label(`→ ${role}${images === undefined ? '' : `, ${countText(images, 'image')}`}`, layout),
      ...body(text, layout),
    ]),
    ...offeredLines(call, layout),
    ...(failure === undefined ? [] : [...label('← failed', layout), ...body(failure, layout)]),
    ...(reply === undefined ? [] : [...label('← reply', layout), ...body(replyText(reply), layout)]),
  ];
}

function offeredLines({ toolChoice, tools }: ShownCall, layout: Layout): string[] {
  if (tools !== null && tools.length === 0) return [];
  const choice = typeof toolChoice === 'object' ? `one of ${toolChoice.oneOf.join(', ')}` : toolChoice;
  const names = tools === null ? 'unknown, since the store is not at hand' : tools.map(({ name }) => name).join(', ');
  return label(`→ tools${choice === undefined ? '' : ` (${choice})`}: ${names}`, layout);
}

function replyText({ calls, content }: NonNullable<ShownCall['reply']>): string {
  const called = calls.map((call) => `${call.name}(${'error' in call ? call.error : JSON.stringify(call.input)})`);
  return [...(content.trim() === '' ? [] : [content.trim()]), ...called].join('\n');
}
