import type { RunRecord, ShownCall } from '../../client.ts';
import { kindOf, waitText } from '../../client/show/kinds.ts';
import { changesOf, isShownBelow, listText, placeOf, resultParts, standOf } from '../../client/show/record-parts.ts';
import { countText, spentText, numberText } from '../../client/show/spent.ts';
import { stepTexts } from '../../client/show/step-text.ts';
import { durationText } from '../../workflows/runtime/duration.ts';
import type { TokenUsage } from '../../protocol/message.ts';
import { briefTimestamp } from '../../util/local-time.ts';
import { alikeTogether } from '../failures.ts';
import { body, emphasised, heading, label, paragraphs, type Layout } from './layout.ts';

export function recordText(record: RunRecord, layout: Layout): string {
  return paragraphs([
    headLines(record, layout),
    ...(record.calls === undefined
      ? [...happeningBlocks(record, layout), ...resultParts(record).map(([title, text]) => titled(title, text, layout))]
      : record.calls.map((call) => callLines(call, layout))),
    filesBlock(record, layout),
    titled('Warnings', listText(record.warnings), layout),
    costLines(record, layout),
  ]);
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
    ...body(`${timeOf(startedAt)} to ${endedAt === null ? 'now' : timeOf(endedAt)}`, layout),
    ...[...(failure === null ? [] : [`Failed: ${alikeTogether(failure)}`]), ...asked, ...notes].flatMap((text) =>
      body(text, layout),
    ),
  ];
}

function happeningBlocks({ result, steps }: RunRecord, layout: Layout): string[][] {
  let place = '';
  return steps.flatMap((step) => {
    const now = placeOf(step);
    const isNew = now !== place;
    const { texts, what } = stepTexts(step);
    const shown = isShownBelow(step, result) ? [] : texts.flatMap((text) => body(text, layout));
    // What is said, and nothing of it, is no more than a heading.
    if (step.type === 'said' && shown.length === 0) return [];
    place = now;
    return [...(isNew && now !== '' ? [[heading(now, layout)]] : []), [...label(what, layout), ...shown]];
  });
}

function titled(title: string, text: string, layout: Layout): string[] {
  return text.trim() === '' ? [] : [heading(title, layout), ...body(text, layout)];
}

function filesBlock({ result, workspace }: RunRecord, layout: Layout): string[] {
  const { more, paths } = workspace === null ? { more: 0, paths: [] } : changesOf(workspace);
  const lines = paths.map(([path, how]) => `${path} (${how})`);
  const snapshots = (result?.workflow === 'orchestration' ? result.snapshots : undefined) ?? [];
  const kept = snapshots.map(({ agents, attempt }) => {
    const trees = Object.entries(agents).map(([id, tree]) => `${id} ${tree?.slice(0, 12) ?? 'none'}`);
    return `Attempt ${attempt}: ${trees.join(', ')}`;
  });
  const total = workspace === null ? [] : [`${countText(workspace.files, 'file')}, ${workspace.bytes} bytes`];
  const changes = listText([...lines, ...(more > 0 ? [`and ${more} more`] : [])]);
  return titled('Files', [...total, changes, ...kept].filter(Boolean).join('\n'), layout);
}

function costLines({ usage }: RunRecord, layout: Layout): string[] {
  const agents = Object.entries(usage.byAgent);
  const width = Math.max(0, ...agents.map(([id]) => id.length));
  return titled('Cost', agents.map(([id, spent]) => `${id.padEnd(width)}  ${spentText(spent)}`).join('\n'), layout);
}

function callLines(call: ShownCall, layout: Layout): string[] {
  const { agent, at, earlier, endedAt, failure, model, part, purpose, reply, sent, turn, usage } = call;
  const place = turn > 0 && part.startsWith('attempt') ? `turn ${turn}, ${part}` : part;
  const facts = [
    ...(endedAt === undefined ? ['under way'] : [durationText(Date.parse(endedAt) - Date.parse(at))]),
    ...(usage === undefined ? [] : [tokensText(usage)]),
    ...(earlier === 0 ? [] : [`after ${countText(earlier, 'earlier message')} of the conversation`]),
  ];
  return [
    heading(`${agent}: ${purpose}, ${place}, ${model}`, layout),
    ...body(facts.join(', '), layout),
    ...sent
      .filter(({ images, text }) => images !== undefined || text.trim() !== '')
      .flatMap(({ images, role, text }) => [
        ...label(`→ ${role}${images === undefined ? '' : `, ${countText(images, 'image')}`}`, layout),
        ...body(text, layout),
      ]),
    ...offeredLines(call, layout),
    ...(failure === undefined ? [] : [...label('← failed', layout), ...body(failure, layout)]),
    ...(reply === undefined || replyText(reply) === ''
      ? []
      : [...label('← reply', layout), ...body(replyText(reply), layout)]),
  ];
}

const timeOf = (at: string): string => briefTimestamp(new Date(at));

function tokensText({ estimated = false, inputTokens, outputTokens }: TokenUsage): string {
  const about = estimated ? 'about ' : '';
  return `${about}${numberText(inputTokens, 0)} tokens in, ${about}${numberText(outputTokens, 0)} out`;
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
