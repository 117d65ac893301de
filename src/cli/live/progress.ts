import type { RunState } from '../../client.ts';
import { inWords } from '../../workflows/runtime/details.ts';

/** How far a run has come, with its limits, for the line that is redrawn: `attempt 2/3`. */
export function progressOf(state: RunState): string {
  const phase = inWords(state.phase);
  switch (state.workflow) {
    case 'research':
      return `iteration ${state.planning_iteration}/${state.max_planning_iterations}: ${phase}`;
    case 'planAndExecute':
      return subtasksText(state);
    default:
      return state.attempt === 0 ? phase : `attempt ${state.attempt}/${state.maxAttempts}`;
  }
}

/** How far a run has come, with what it is doing, for a line that stays: `attempt 2, voting`. */
export function placeIn(state: RunState): string {
  const phase = inWords(state.phase);
  switch (state.workflow) {
    case 'research':
      return `iteration ${state.planning_iteration}, ${phase}`;
    case 'planAndExecute':
      return subtasksText(state);
    default:
      return state.attempt === 0 ? phase : `attempt ${state.attempt}, ${phase}`;
  }
}

/** The phase of a plan, its completed subtasks and its retries: `executing, 2 of 5 subtasks, retry 1/2`. */
function subtasksText(state: Extract<RunState, { workflow: 'planAndExecute' }>): string {
  const { max_retries, phase, retries, subtasks_completed, subtasks_total } = state;
  return [
    phase,
    ...(subtasks_total === 0 ? [] : [`${subtasks_completed} of ${subtasks_total} subtasks`]),
    ...(retries === 0 ? [] : [`retry ${retries}/${max_retries}`]),
  ].join(', ');
}
