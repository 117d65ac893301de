import type { Iteration, ResearchState } from '../../protocol/research.ts';
import { inWords, quotation } from '../runtime/details.ts';
import type { RunView } from '../runtime/run-handlers.ts';
import type { ResearchContext } from './context.ts';

const unbegun: ResearchState = {
  workflow: 'research',
  phase: 'preparing',
  criticism_score: null,
  should_restart_planning: false,
  restart_reason: null,
  planning_iteration: 1,
  max_planning_iterations: 0,
  idea: null,
  iterations: [],
  agents: [],
  usage: null,
};

/** Before its input is checked. */
export const emptyView: RunView = {
  state: () => unbegun,
  details: (workflowId) => detailsOf(unbegun, workflowId),
  transcript: () => null,
};

/** A research run at a glance. */
export function viewOf(context: ResearchContext): RunView {
  const { conversations } = context;
  return {
    state: () => stateOf(context),
    details: (workflowId) => detailsOf(stateOf(context), workflowId),
    transcript: (agent) => conversations[agent as keyof typeof conversations]?.transcript ?? null,
    isWaiting: () => context.phase === 'waiting_for_approval',
  };
}

function stateOf({
  drafts,
  iterations,
  usage,
  phase,
  restart,
  settings,
  states,
  idea,
}: ResearchContext): ResearchState {
  const { criticism } = drafts.findLast((draft) => draft.criticism !== undefined) ?? {};
  const planned = drafts.findLast(({ plan }) => plan !== undefined)?.plan;
  return {
    workflow: 'research',
    phase,
    criticism_score: criticism?.score ?? null,
    should_restart_planning: restart !== undefined,
    restart_reason: restart?.reason ?? null,
    planning_iteration: Math.max(1, drafts.length),
    max_planning_iterations: settings.max_planning_iterations,
    idea: planned?.idea ?? idea,
    iterations,
    agents: [
      { id: 'planner', state: states.planner },
      { id: 'critic', state: states.critic },
      { id: 'writer', state: states.writer },
    ],
    usage: usage.total,
  };
}

/** For the current details of Temporal's Web UI. */
function detailsOf(state: ResearchState, workflowId: string): string[] {
  const { agents, idea, iterations, max_planning_iterations, phase, planning_iteration, restart_reason } = state;
  return [
    ...(phase === 'waiting_for_approval' ? approvalLines(workflowId) : []),
    `### Iteration ${planning_iteration}/${max_planning_iterations}: ${inWords(phase)}`,
    ...(idea === null ? [] : ['', quotation(idea), '']),
    ...agents.map(({ id, state: doing }) => `- **${id}**: ${inWords(doing)}`),
    ...(restart_reason === null ? [] : ['', `Planning starts anew: ${restart_reason}`]),
    ...(iterations.length === 0 ? [] : ['', '### So far', ...iterations.map(iterationLine)]),
  ];
}

function approvalLines(workflowId: string): string[] {
  return [
    '### It waits for a person to decide',
    '',
    'Send the signal `decide` (menu "Send a Signal"), whose input is `{"action": "accept"}` or `{"action": "stop"}`, or ' +
      'the signal `requestRestart` with `{"reason": "…", "instructions": "…"}`. ' +
      `Or: \`reprise decide ${workflowId} --accept\``,
    '',
  ];
}

/** `- 1: predict stock prices with astrology: 15/100 (Major flaws)` */
const iterationLine = (iteration: Iteration): string =>
  `- ${iteration.iteration}: ${iteration.idea}: ${judgementOf(iteration)}`;

/** An iteration's score and verdict, in words. */
export function judgementOf({
  score,
  verdict,
  restartReason,
}: Pick<Iteration, 'score' | 'verdict' | 'restartReason'>): string {
  if (score !== null) return `${score}/100 (${verdict})`;
  return verdict ?? restartReason ?? 'not judged';
}
