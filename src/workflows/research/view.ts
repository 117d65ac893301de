import type { ResearchState } from '../../protocol/research.ts';
import type { View } from '../runtime/run-handlers.ts';
import type { Study } from './context.ts';

/** Before its input is checked. */
export const unbegun: ResearchState = {
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

/** A research at a glance. */
export function viewOfStudy(study: Study): View {
  return {
    state: () => stateOf(study),
    transcript: (agent) => {
      const { conversations } = study;
      return conversations[agent as keyof typeof conversations]?.transcript ?? null;
    },
  };
}

function stateOf({
  drafts,
  iterations,
  ledger,
  phase,
  restart,
  settings,
  states,
  idea,
}: Study): ResearchState {
  const { criticism } = drafts.findLast((draft) => draft.criticism !== undefined) ?? {};
  const planned = drafts.findLast(({ plan }) => plan !== undefined)?.plan;
  return {
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
    usage: ledger.usage,
  };
}
