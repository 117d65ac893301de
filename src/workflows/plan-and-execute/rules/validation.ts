import type { Validation } from '../../../protocol/plan-and-execute.ts';
import { cutToBytes } from '../../runtime/size.ts';

/** What another round does: it repeats what has failed, plans around it, or adds subtasks for what is missing. */
export type Retry = { kind: 'retry_failed' } | { kind: 'plan_around' } | { kind: 'add_subtasks'; missing: string[] };

export type AfterValidation = { kind: 'done'; outcome: 'complete' | 'partial' | 'unverified' } | Retry;

/** Of a list: its texts, and the bytes of each. */
const limits = { texts: 50, bytes: 1000 };

/**
 * Decides what follows a validation (the document "Retry Optimization", section Step-by-Step Flow). A subtask that has
 * failed on its retry is not carried out a third time: other subtasks are to reach what it was for. If an incomplete answer
 * misses no requirement by name, the validator's warnings take their place.
 *
 * A validator that finds nothing missing although a subtask has failed is believed in so far as there is no other round,
 * but the answer does not count as complete. Without a validation, failed subtasks are reason enough for another round,
 * since something is surely missing; if none has failed either, nothing tells what another round should do.
 *
 * @param validation null if the validator failed, or gave nothing that could be read
 * @param failed the subtasks that have failed and are still needed: whether there are any, and any that failed on a retry
 */
export function afterValidation(
  validation: Validation | null,
  failed: { any: boolean; onRetry: boolean },
): AfterValidation {
  if (validation?.isComplete === true) return { kind: 'done', outcome: failed.any ? 'partial' : 'complete' };
  if (failed.any) return { kind: failed.onRetry ? 'plan_around' : 'retry_failed' };
  if (validation === null) return { kind: 'done', outcome: 'unverified' };
  const { missingRequirements, warnings } = validation;
  const missing = [missingRequirements, warnings].find((texts) => texts.length > 0);
  return { kind: 'add_subtasks', missing: missing ?? ['Complete the answer'] };
}

/**
 * Reads a validation, with keys in camel case or snake case. One that calls an answer complete and names what is missing counts
 * as incomplete.
 *
 * @returns undefined if it does not say whether the answer is complete
 */
export function validationOf(given: Record<string, unknown>): Validation | undefined {
  const isComplete = truthOf(given['isComplete'] ?? given['is_complete']);
  if (isComplete === undefined) return undefined;
  const quality = given['quality'];
  const missingRequirements = textsOf(given['missingRequirements'] ?? given['missing_requirements']);
  const isContradiction = isComplete && missingRequirements.length > 0;
  return {
    isComplete: isComplete && !isContradiction,
    missingRequirements,
    quality: quality === 'low' || quality === 'high' ? quality : 'medium',
    warnings: [...textsOf(given['warnings']), ...(isContradiction ? [contradiction] : [])],
  };
}

function truthOf(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}

const contradiction = 'The validator called the answer complete, but named what is missing';

const isNothing = (text: string): boolean => /^(?:|none|nothing|null|n\/?a|-+)[.!]?$/i.test(text);

/** Without blank ones, and what models write into a list that is to be empty. One text is a list of one. */
function textsOf(value: unknown): string[] {
  return [value]
    .flat()
    .flatMap((each) => (typeof each === 'string' ? each.trim() : []))
    .filter((text) => !isNothing(text))
    .slice(0, limits.texts)
    .map((text) => cutToBytes(text, limits.bytes));
}
