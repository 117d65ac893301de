import type { Iteration, ResearchState } from '../../protocol/research.ts';
import { inWords, quotation } from '../runtime/details.ts';
import type { RunView } from '../runtime/run-handlers.ts';
import { researchRoles, type ResearchContext } from './context.ts';

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

/** What a run shows before its input is checked. */
export const emptyView: RunView = {
  state: () => unbegun,
  details: (workflowId) => detailsOf(unbegun, workflowId),
  transcript: () => null,
};

/** What a research run shows of itself once it is open. */
export function viewOf(context: ResearchContext): RunView {
  const { conversations } = context;
  return {
    state: () => stateOf(context),
    details: (workflowId) => detailsOf(stateOf(context), workflowId),
    transcript: (agent) => conversations[agent as keyof typeof conversations]?.transcript ?? null,
    isWaiting: () => context.phase === 'waiting_for_approval',
  };
}

function stateOf(context: ResearchContext): ResearchState {
  const { drafts, iterations, usage, phase, restart, settings, states, idea } = context;
  const { criticism } = drafts.findLast((draft) => (draft.criticism?.verdict ?? null) !== null) ?? {};
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
    agents: researchRoles.map((id) => ({ id, state: states[id] })),
    usage: usage.total,
    limits: usage.limits,
  };
}

/** The lines of the current details in Temporal's Web UI. */
function detailsOf(state: ResearchState, workflowId: string): string[] {
  const { agents, idea, iterations, max_planning_iterations, phase, planning_iteration, restart_reason } = state;
  return [
    ...(phase === 'waiting_for_approval' ? approvalLines(workflowId) : []),
    `### Iteration ${planning_iteration}/${max_planning_iterations}: ${inWords(phase)}`,
    ...(idea === null ? [] : ['', quotation(idea), '']),
    ...agents.map(({ id, state: doing }) => `- **${id}**: ${inWords(doing)}`),
    ...(restart_reason === null ? [] : ['', `Planning starts anew: ${restart_reason}`]),
    ...(iterations.length === 0 ? [] : ['', '### So far']),
    ...iterations.map((each) => `- ${each.iteration}: ${each.idea}: ${judgementOf(each)}`),
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

/** An iteration's score and verdict in words, as in `72/100 (Good concept)`. */
export function judgementOf(iteration: Pick<Iteration, 'score' | 'verdict' | 'restartReason'>): string {
  const { score, verdict, restartReason } = iteration;
  if (score !== null) return `${score}/100 (${verdict})`;
  return verdict ?? restartReason ?? 'not judged';
}
