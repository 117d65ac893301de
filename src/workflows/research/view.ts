import type { Iteration, ResearchState } from '../../protocol/research.ts';
import { inline, inWords, quotation } from '../runtime/details.ts';
import type { RunView } from '../runtime/run-handlers.ts';
import { researchRoles, type ResearchContext } from './context.ts';
import { markdownOf } from './rules/report.ts';

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
  details: () => detailsOf(unbegun),
  transcript: () => null,
};

export function viewOf(context: ResearchContext): RunView {
  const { conversations } = context;
  return {
    state: () => stateOf(context),
    details: () => detailsOf(stateOf(context)),
    report: () => context.report && markdownOf(context.report),
    transcript: (agent) => conversations.get(agent)?.transcript ?? null,
  };
}

function stateOf(context: ResearchContext): ResearchState {
  const { drafts, iterations, usage, phase, restart, settings, working, idea } = context;
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
    agents: researchRoles.map((id) => ({ id, state: working.get(id) ?? 'waiting' })),
    usage: usage.total,
    limits: usage.limits,
  };
}

function detailsOf(state: ResearchState): string[] {
  const { agents, idea, iterations, max_planning_iterations, phase, planning_iteration, restart_reason } = state;
  return [
    `### Iteration ${planning_iteration} of ${max_planning_iterations}: ${inWords(phase)}`,
    ...(idea === null ? [] : ['', quotation(idea, 2000), '']),
    ...agents.map(({ id, state: doing }) => `- **${id}**: ${inWords(doing)}`),
    ...(restart_reason === null ? [] : ['', `Planning starts anew: ${inline(restart_reason)}`]),
    ...(iterations.length === 0 ? [] : ['', '### So far']),
    ...iterations.map((each) => `- ${each.iteration}: ${inline(each.idea)}: ${inline(judgementOf(each))}`),
  ];
}

/** An iteration's score and verdict in words, as in `72/100 (Good concept)`. */
export function judgementOf(iteration: Pick<Iteration, 'score' | 'verdict' | 'restartReason'>): string {
  const { score, verdict, restartReason } = iteration;
  if (score !== null) return `${score}/100 (${verdict})`;
  return verdict ?? restartReason ?? 'not judged';
}
