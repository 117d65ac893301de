import { failureReason } from '../agent/failures.ts';
import { textRef, storeTexts } from '../agent/text-refs.ts';
import { structured, type OutputSpec, type Read } from '../agent/structured-output.ts';
import { judgementOf } from './view.ts';
import type { Plan } from '../../protocol/research.ts';
import { planTool, replanMessage, unchangedIdea } from './prompts.ts';
import { isSameIdea, planIn, planOf } from './rules/plan.ts';
import { hasWords } from '../agent/text.ts';
import { purposeOf, type Draft, type PlanningRestart, type ResearchContext } from './context.ts';

const notAPlan = 'That was no plan.';

/** After a restart the idea must differ from all those tried before. */
export async function plan(context: ResearchContext, draft: Draft): Promise<void> {
  const { events, planner, restart } = context;
  context.phase = 'planning';
  if (restart !== undefined) await tellRestart(context, draft, restart);
  try {
    const { error, place, value } = await structured(planner, 'planning', purposeOf('plan', draft), specOf(context));
    if (value === undefined) {
      draft.noPlan = error ?? notAPlan;
      return;
    }
    if (error !== undefined) context.warn(`The plan is taken as it is: ${error}`, 'planner');
    draft.plan = value;
    draft.approach = textRef(value.approach, place('approach'));
    context.restart = undefined;
    events.emit({ type: 'plan', ...value });
  } catch (error) {
    draft.noPlan = failureReason(error);
  }
}

async function tellRestart(
  { drafts, iterations, planner, settings, stored }: ResearchContext,
  { number }: Draft,
  restart: PlanningRestart,
): Promise<void> {
  const [reason = '', guidance = ''] = await storeTexts([restart.reason, restart.guidance]);
  const { criticism, found } = drafts.at(-2) ?? {};
  const content = replanMessage({
    iteration: number,
    most: settings.max_planning_iterations,
    reason,
    guidance,
    criticism: criticism?.content,
    queries: criticism?.queries ?? [],
    material: found?.digests ?? [],
    goal: stored.idea,
    mayKeepIdea: restart.kind === 'no_material',
    tried: iterations.map((iteration) => `${iteration.idea}: ${judgementOf(iteration)}`),
  });
  planner.agent.tell({ role: 'user', content });
}

function specOf({ iterations, idea, restart }: ResearchContext): OutputSpec<Plan> {
  const mayKeepIdea = restart?.kind === 'no_material';
  const kept = mayKeepIdea ? iterations.at(-1)?.idea : iterations.length === 0 ? idea : undefined;
  const checked = (value: Plan): Read<Plan> => {
    if (!hasWords(value.idea)) return { error: 'The plan has no idea in words.' };
    const tried = iterations.find((iteration) => isSameIdea(iteration.idea, value.idea));
    return tried === undefined || mayKeepIdea ? { value } : { value, error: unchangedIdea(tried.idea) };
  };
  return {
    tool: planTool.name,
    read: (input) => checked(planOf(input)),
    readText: (text) => {
      const value = planIn(text, kept);
      return value === undefined ? { error: notAPlan } : checked(value);
    },
  };
}
