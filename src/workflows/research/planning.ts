import { ApplicationFailure } from '@temporalio/workflow';
import { textRef, storeTexts } from '../agent/text-refs.ts';
import { structured, type OutputSpec, type Read } from '../agent/structured-output.ts';
import { judgementOf } from './view.ts';
import { failureTypes } from '../../protocol/errors.ts';
import type { Plan } from '../../protocol/research.ts';
import { ideaMessage, planTool, replanMessage, unchangedIdea } from './prompts.ts';
import { isSameIdea, planIn, planOf } from './rules/plan.ts';
import { hasWords } from '../agent/text.ts';
import { atWork, failureOf, purposeOf, type Draft, type PlanningRestart, type ResearchContext } from './context.ts';

const notAPlan = 'That was no plan. Call `submit_plan`.';
const noIdea = 'The plan has no idea in words.';

/** Has the plan drawn, or drawn anew: then the idea must be another one than those tried. */
export async function plan(context: ResearchContext, draft: Draft): Promise<void> {
  const { events, planner, restart } = context;
  context.phase = 'planning';
  await tell(context, draft, restart);
  try {
    const given = await atWork(context, 'planner', 'planning', (onAsking) =>
      structured(planner, purposeOf('plan', draft), specOf(context), onAsking),
    );
    const { error, value } = given;
    if (value === undefined) {
      draft.noPlan = error ?? notAPlan;
      return;
    }
    if (error !== undefined)
      events.emit({ type: 'warning', agent: 'planner', text: `The plan is taken as it is: ${error}` });
    draft.plan = value;
    draft.approach = textRef(value.approach, given.place('approach'));
    context.restart = undefined;
    events.emit({ type: 'plan', ...value });
  } catch (error) {
    draft.noPlan = failureOf(error);
  }
}

/** Nothing has come of the first plan, so that there is nothing to report on. */
export const noPlan = (reason: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`There is no plan.\nplanner: ${reason}`, failureTypes.noPlan);

async function tell(context: ResearchContext, { number }: Draft, restart: PlanningRestart | undefined): Promise<void> {
  const { drafts, iterations, lessons, planner, settings, stored } = context;
  const most = settings.max_planning_iterations;
  if (!context.isIntroduced) planner.agent.tell({ role: 'user', content: ideaMessage(stored.idea, lessons, most) });
  context.isIntroduced = true;
  if (restart === undefined) return;
  const [reason = '', guidance = ''] = await storeTexts([restart.reason, restart.guidance]);
  const notice = {
    iteration: number,
    most,
    reason,
    guidance,
    criticism: drafts[number - 2]?.criticism?.content,
    tried: iterations.map((iteration) => `${iteration.idea}: ${judgementOf(iteration)}`),
  };
  planner.agent.tell({ role: 'user', content: replanMessage(notice) });
}

function specOf({ iterations, idea }: ResearchContext): OutputSpec<Plan> {
  const isFirst = iterations.length === 0;
  const checked = (value: Plan): Read<Plan> => {
    if (!hasWords(value.idea)) return { error: noIdea };
    const tried = iterations.find((iteration) => isSameIdea(iteration.idea, value.idea));
    return tried === undefined ? { value } : { value, error: unchangedIdea(tried.idea) };
  };
  return {
    tool: planTool.name,
    read: (input) => checked(planOf(input)),
    readText: (text) => {
      const value = planIn(text, isFirst ? idea : undefined);
      return value === undefined ? { error: notAPlan } : checked(value);
    },
  };
}
