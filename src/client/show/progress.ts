import type { ResearchState } from '../../protocol/research.ts';
import type { SolveState } from '../../protocol/plan-and-execute.ts';
import type { State, TeamState } from '../../protocol/state.ts';
import { inWords } from '../../workflows/runtime/details.ts';
import type { ListedRun } from '../list.ts';
import type { PendingCall } from '../snapshot.ts';
import { awaitedOf } from './kinds.ts';
import { countText } from './spent.ts';

/** What a run does while no agent does anything, by the activity type. */
const preparations: Record<string, string> = {
  storeAttachments: 'reading attachments',
  listTools: 'loading tools',
};

const betweenTurns = 'waits for a turn';

function phaseText(phase: State['phase'], calls: PendingCall[]): string {
  const doing = phase === 'preparing' ? calls.map(({ activity }) => preparations[activity]).find(Boolean) : undefined;
  return doing ?? inWords(phase);
}

/** How far a run has come, in parts: `attempt 2/3: voting`, `1 of 3 votes`. @param searched how many searches of its plan are done */
export function placeParts(state: State, calls: PendingCall[], searched: number): string[] {
  switch (state.workflow) {
    case 'research':
      return researchParts(state, calls, searched);
    case 'planAndExecute':
      return solveParts(state, calls);
    default:
      return teamParts(state, calls);
  }
}

/** How far a run has come, in a few words: `attempt 2/3`, `iteration 1/3: searching`. */
export function progressOf(state: State): string {
  switch (state.workflow) {
    case 'research':
      return researchParts(state, [], 0)[0] ?? '';
    case 'planAndExecute':
      return solveParts(state, []).join(', ');
    default:
      return state.attempt === 0 ? inWords(state.phase) : `attempt ${state.attempt}/${state.maxAttempts}`;
  }
}

function teamParts(state: TeamState, calls: PendingCall[]): string[] {
  const { agents, attempt, phase } = state;
  if (phase === 'idle') return [betweenTurns];
  if (attempt === 0) return [phaseText(phase, calls)];
  const isIn = agents.filter(({ state }) => state !== 'out' && state !== 'timed_out');
  const answered = isIn.filter(({ answers }) => answers > 0).length;
  const voted = isIn.filter(({ vote }) => vote !== null).length;
  return [
    `${progressOf(state)}: ${inWords(phase)}`,
    ...(phase === 'answering' && agents.length > 1 ? [`${answered} of ${isIn.length} answered`] : []),
    ...(phase === 'voting' ? [`${voted} of ${countText(isIn.length, 'vote')}`] : []),
  ];
}

function researchParts(state: ResearchState, calls: PendingCall[], searched: number): string[] {
  const { criticism_score, max_planning_iterations, phase, planning_iteration } = state;
  const searching = calls.filter(({ activity }) => activity === 'search').length;
  const reading = calls.filter(({ activity }) => activity === 'readPage').length;
  const count =
    searching > 0
      ? `searching ${searched + 1} of ${searched + searching}`
      : reading > 0
        ? `reading ${countText(reading, 'page')}`
        : phaseText(phase, calls);
  return [
    max_planning_iterations === 0 ? count : `iteration ${planning_iteration}/${max_planning_iterations}: ${count}`,
    ...(criticism_score === null ? [] : [`last score ${criticism_score}/100`]),
  ];
}

function solveParts(state: SolveState, calls: PendingCall[]): string[] {
  const { max_retries, phase, retries, subtasks, subtasks_completed, subtasks_total } = state;
  const running = subtasks.filter(({ status }) => status === 'running').length;
  return [
    phaseText(phase, calls),
    ...(subtasks_total === 0 ? [] : [`${subtasks_completed} of ${countText(subtasks_total, 'subtask')}`]),
    ...(running === 0 ? [] : [`${running} running`]),
    ...(retries === 0 ? [] : [`retry ${retries}/${max_retries}`]),
  ];
}

export function stateOf({ isWaiting, outcome, state, status, waiting }: ListedRun): string {
  if (outcome !== null) return inWords(outcome);
  if (status !== 'running') return inWords(status);
  const [first] = waiting;
  if (first !== undefined) return `waits for ${awaitedOf(first)}`;
  if (isWaiting) return 'waits for a person';
  if (state === null) return 'running';
  if (state.workflow === 'session' && state.phase === 'idle') return betweenTurns;
  return 'selectedAgent' in state && state.attempt > 0
    ? `${progressOf(state)}, ${inWords(state.phase)}`
    : progressOf(state);
}

/** An age in its largest unit: `42 s`, `4 min`, `3 h`, `12 d`. */
export function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
