import type { Validation } from '../../../protocol/plan-and-execute.ts';
import { objectIn } from '../../agent/text.ts';

/** `unvalidated`: no subtask has failed, but no validator has said that the answer is complete. */
export type AfterValidation =
  { kind: 'done'; unvalidated?: true } | { kind: 'retry_failed' } | { kind: 'add_subtasks'; missing: string[] };

/** The requirement of another round if a validator says that the answer is incomplete, but not why. */
const anythingMissing = 'Complete the answer';

/**
 * Decides what follows a validation (the document "Retry Optimization", section Step-by-Step Flow). If an incomplete
 * answer misses no requirement by name, the validator's warnings take their place.
 *
 * Without a validation, failed subtasks are reason enough for another round, since something is surely missing. If none
 * has failed either, nothing tells what another round should do, so the answer is accepted as `unvalidated`.
 *
 * @param validation null if the validator failed, or gave nothing that could be read
 * @param hasFailed whether any subtask has failed
 */
export function afterValidation(validation: Validation | null, hasFailed: boolean): AfterValidation {
  if (validation?.isComplete === true) return { kind: 'done' };
  if (validation === null) return hasFailed ? { kind: 'retry_failed' } : { kind: 'done', unvalidated: true };
  if (hasFailed) return { kind: 'retry_failed' };
  const { missingRequirements, warnings } = validation;
  const missing = [missingRequirements, warnings].find((texts) => texts.length > 0);
  return { kind: 'add_subtasks', missing: missing ?? [anythingMissing] };
}

/** Reads a validation from free text that holds it as JSON. @returns undefined if it does not */
export function readValidation(text: string): Validation | undefined {
  return validationOf(objectIn(text) ?? {});
}

/**
 * Reads a validation from what a model gave, with keys in camel case or snake case.
 *
 * @returns undefined if it does not say whether the answer is complete
 */
export function validationOf(given: Record<string, unknown>): Validation | undefined {
  const isComplete = truthOf(given['isComplete'] ?? given['is_complete']);
  if (isComplete === undefined) return undefined;
  const quality = given['quality'];
  return {
    isComplete,
    missingRequirements: textsOf(given['missingRequirements'] ?? given['missing_requirements']),
    quality: quality === 'low' || quality === 'high' ? quality : 'medium',
    warnings: textsOf(given['warnings']),
  };
}

function truthOf(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}

/** Reads a list of texts without blank ones. A single text counts as a list of one. */
function textsOf(value: unknown): string[] {
  return [value]
    .flat()
    .flatMap((each) => (typeof each === 'string' ? each.trim() : []))
    .filter((text) => text !== '');
}
