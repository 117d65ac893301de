import type { TeamRestart } from '../context.ts';

const onlyPlanned =
  /\b(?:only|merely|just) (?:a )?(?:plan|describ)|\b(?:didn['’]t|did not|without|never) (?:\w+ )?(?:execut|implement|carr)/i;

const makeReal =
  /\b(?:actually|really|now) (?:\w+ )?(?:implement|execut|perform|carry|modify|make|run|do|create|write|change)|\breal changes\b|\b(?:execute|carry out) (?:the|this|your|that|it)\b/i;

/**
 * Whether a restart asks a team to carry out its plan (MassGen's documentation "Orchestration Restart", Example 1: Planning to
 * Execution). What it says by `execute` counts; where it says nothing, as a person's never does, its words do.
 */
export function asksToExecute({ execute, instructions, reason }: Omit<TeamRestart, 'by'>): boolean {
  return execute ?? (onlyPlanned.test(reason) || makeReal.test(instructions));
}
