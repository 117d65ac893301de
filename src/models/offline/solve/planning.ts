import { partsOf, readQuestion, wantsNumber } from '../question.ts';
import { following } from './following.ts';
import { withoutForm } from './form.ts';
import { readMissing, readProblem, type ProblemBrief } from './reading.ts';
import { fitOf } from './table-step.ts';

/** Arguments of `submit_analysis`. */
export function analysisOf(message: string): { requirements: string[]; answer_format: string } {
  const requirements = partsIn(readProblem(message));
  return { requirements, answer_format: formOf(requirements) };
}

/** A subtask as `submit_plan` takes it. */
interface Planned {
  id: string;
  description: string;
  depends_on?: string[];
  attachments?: string[];
}

/** Arguments of `submit_plan`: a subtask for each part, which depends on the one before where it refers to it. */
export function planOf(problem: string, last: string): { subtasks: Planned[] } {
  const brief = readProblem(problem);
  const missing = readMissing(last);
  const parts = missing?.requirements ?? partsIn(brief);
  const ids = newIds(parts.length, missing?.ids ?? []);
  return {
    subtasks: parts.map((description, place) => {
      const before = ids[place - 1];
      const refers = missing === undefined && before !== undefined && following.test(description);
      const attachments = attachmentsFor(description, brief);
      return {
        id: ids[place] ?? '',
        description,
        ...(refers && { depends_on: [before] }),
        ...(attachments.length > 0 && { attachments }),
      };
    }),
  };
}

const partsIn = ({ problem }: ProblemBrief): string[] => [
  ...new Set(readQuestion(withoutForm(problem)).parts.flatMap(partsOf)),
];

/** The table that fits a part best; empty where none does: then all attachments may be needed. */
function attachmentsFor(part: string, { attachments }: ProblemBrief): string[] {
  const fits = attachments.map((shown) => ({ name: shown.name, fit: fitOf(part, shown) }));
  const best = Math.max(0, ...fits.map(({ fit }) => fit));
  return best === 0 ? [] : fits.filter(({ fit }) => fit === best).map(({ name }) => name);
}

/** `step_4`, `step_5`…, from the first that is free. */
function newIds(count: number, taken: string[]): string[] {
  const numbers = taken.map((id) => Number(/^step_(\d+)$/.exec(id)?.[1] ?? 0));
  const start = Math.max(0, ...numbers);
  return Array.from({ length: count }, (_, index) => `step_${start + index + 1}`);
}

function formOf(parts: string[]): string {
  const [only = ''] = parts;
  if (parts.length > 1) return `an answer to each of ${parts.length} parts`;
  if (/\b(?:for each|per|which|what|list|name)\b.*\b(?:are|were)\b|\blist\b|\b(?:for each|per)\b/i.test(only))
    return 'a list';
  if (/^(?:in |on |of )?(?:which|who|whose|where)\b|\bname of\b/i.test(only)) return 'a name';
  if (wantsNumber(only) || /\b(?:total|sum|average|mean|median|number|count|share|percentage)\b/i.test(only))
    return 'a number';
  return 'a short text';
}
