import type { Validation } from '../../../protocol/plan-and-execute.ts';
import { objectIn } from '../../agent/text.ts';

export type AfterValidation =
  /** `unvalidated`: nothing failed, but no validator has said that the answer is complete. */
  { kind: 'done'; unvalidated?: true } | { kind: 'retry_failed' } | { kind: 'add_subtasks'; missing: string[] };

/** Asked for where a validator says that the answer is incomplete, but not why. */
const anythingMissing = 'Complete the answer';

/**
 * What follows a validation (the document "Retry Optimization", section Step-by-Step Flow). An incomplete answer
 * without any missing requirement is to be mended by the validator's warnings, else simply completed.
 *
 * Without a validation, failed subtasks are reason enough for another round, since something is surely missing. Where
 * none failed, nothing tells what another round should do: the answer is taken, marked `unvalidated`.
 *
 * @param validation null: the validator failed, or answered nonsense
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

/** A validation from free text that holds it as JSON; undefined: it does not. */
export function readValidation(text: string): Validation | undefined {
  return validationOf(objectIn(text) ?? {});
}

/**
 * A validation from what a model gave for one, with keys in either spelling.
 *
 * @returns undefined where it does not say whether the answer is complete
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

/** One text instead of a list counts as a list of one; what is empty is left out. */
function textsOf(value: unknown): string[] {
  return [value]
    .flat()
    .flatMap((each) => (typeof each === 'string' ? each.trim() : []))
    .filter((text) => text !== '');
}
