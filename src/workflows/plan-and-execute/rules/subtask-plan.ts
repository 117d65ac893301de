import type { PlannedSubtask, QueryAnalysis } from '../../../protocol/plan-and-execute.ts';
import { withoutRepetition } from '../../agent/repetition.ts';
import { objectIn } from '../../agent/text.ts';

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

/**
 * Reads an analysis from arguments that fit the tool's schema. Of what goes round in circles, or is said again, nothing is kept:
 * a small model writes that to the schema's bounds, and all later prompts would have it.
 *
 * @returns undefined if nothing is left
 */
export function analysisOf(input: Record<string, unknown>): QueryAnalysis | undefined {
  const isSaid = (text: string): boolean => withoutRepetition(text) === undefined;
  const requirements = [...new Set(strings(input['requirements']).filter(isSaid))];
  if (requirements.length === 0) return undefined;
  const format = input['answer_format'];
  return { requirements, answerFormat: typeof format === 'string' && isSaid(format) ? format : 'a text' };
}

/** From free text, which holds it as JSON or as a list. @returns undefined if it holds neither */
export const analysisIn = (text: string): QueryAnalysis | undefined =>
  analysisOf(objectIn(text) ?? { requirements: itemsIn(text) });

export function subtasksOf(input: Record<string, unknown>): PlannedSubtask[] {
  return (input['subtasks'] as Array<Record<string, unknown>>).map((each) => ({
    id: String(each['id']).trim(),
    description: String(each['description']).trim(),
    dependsOn: [...new Set(strings(each['depends_on']))],
    ...(Array.isArray(each['attachments']) && { attachments: strings(each['attachments']) }),
    ...(Array.isArray(each['replaces']) && { replaces: [...new Set(strings(each['replaces']))] }),
  }));
}

/**
 * From free text, which holds them as JSON or as a list, of which each step depends on the one before.
 *
 * @param taken ids that are in use
 * @returns undefined if the text holds neither
 */
export function subtasksIn(text: string, taken: string[]): PlannedSubtask[] | undefined {
  const listed: unknown = objectIn(text)?.['subtasks'];
  const isPlan = (each: unknown): each is Record<string, unknown> =>
    typeof each === 'object' && each !== null && 'id' in each && 'description' in each;
  if (Array.isArray(listed) && listed.every(isPlan)) return subtasksOf({ subtasks: listed });
  const items = itemsIn(text);
  if (items.length === 0) return undefined;
  const first = taken.length + 1;
  return items.map((description, index) => ({
    id: `step_${first + index}`,
    description,
    dependsOn: index === 0 ? [] : [`step_${first + index - 1}`],
  }));
}

/** The items of a list, numbered or with bullets. */
const itemsIn = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    const item = /^\s{0,3}(?:\d{1,3}[.)]|[-*•])\s+(\S.*)$/.exec(line)?.[1];
    return item === undefined ? [] : [item.replace(/\*\*|__|`/g, '').trim()];
  });
