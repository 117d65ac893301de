import type { RunState } from '../../client.ts';

/** How far a run is, with its limits: `attempt 2/3`. */
export function progressOf(state: RunState): string {
  const { phase, attempt = 0, maxAttempts, planning_iteration, max_planning_iterations } = state;
  if (planning_iteration !== undefined)
    return `iteration ${planning_iteration}/${max_planning_iterations}: ${phase}`;
  if (state.subtasks_total !== undefined) return subtasksText(state);
  return attempt === 0 ? phase : `attempt ${attempt}/${maxAttempts}`;
}

/** The same for a line that stays, with what it is doing: `attempt 2, voting`. */
export function placeIn(state: RunState): string {
  const { attempt = 0, phase, planning_iteration } = state;
  if (planning_iteration !== undefined) return `iteration ${planning_iteration}, ${phase}`;
  if (state.subtasks_total !== undefined) return subtasksText(state);
  return attempt === 0 ? phase : `attempt ${attempt}, ${phase}`;
}

/** `executing, 2 of 5 subtasks, retry 1/2`; 2 of them are completed. */
function subtasksText({
  max_retries,
  phase,
  retries = 0,
  subtasks_completed,
  subtasks_total,
}: RunState): string {
  return [
    phase,
    ...(subtasks_total === 0 ? [] : [`${subtasks_completed} of ${subtasks_total} subtasks`]),
    ...(retries === 0 ? [] : [`retry ${retries}/${max_retries}`]),
  ].join(', ');
}
