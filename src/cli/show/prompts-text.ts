import type { ShownCall } from '../../client.ts';
import { countText, durationText, numberText } from '../live/spent.ts';
import { body, heading, label, type Layout } from './layout.ts';

/** A call of a model in lines for a person: what it was sent, which tools it was offered, and what it replied. */
export function callLines(call: ShownCall, layout: Layout): string[] {
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
