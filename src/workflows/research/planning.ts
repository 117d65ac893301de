import { ApplicationFailure } from '@temporalio/workflow';
import { isBudgetSpent } from '../agent/failures.ts';
import { quote, storeTexts } from '../agent/text-refs.ts';
import { structured, type Form, type Read } from '../agent/structured-output.ts';
import { judgementOf } from './details.ts';
import type { Plan } from '../../protocol/research.ts';
import { ideaMessage, replanMessage, unchangedIdea } from './prompts.ts';
import { planTool } from './tools.ts';
import { isSameIdea, planIn, planOf } from './rules/plan.ts';
import { hasWords } from '../agent/words.ts';
import { atWork, failureOf, purposeOf, type Draft, type PlanningRestart, type Study } from './context.ts';

const noPlan = 'That was no plan. Call `submit_plan`.';
const noIdea = 'The plan has no idea in words.';

/**
 * Has the plan drawn, or drawn anew: then the idea must be another one than those tried.
 *
 * @returns why there is none, where the model failed for good
 */
export async function plan(study: Study, draft: Draft): Promise<string | undefined> {
  const { events, planner, restart } = study;
  study.phase = 'planning';
  await tell(study, draft, restart);
  try {
    const given = await atWork(study, 'planner', 'planning', (onAsking) =>
      structured(planner, purposeOf('plan', draft), formOf(study), onAsking),
    );
    const { error, value } = given;
    if (value === undefined) return error ?? noPlan;
    if (error !== undefined)
      events.emit({ type: 'warning', agent: 'planner', text: `The plan is taken as it is: ${error}` });
    draft.plan = value;
    draft.approach = quote(value.approach, given.place('approach'));
    study.restart = undefined;
    events.emit({ type: 'plan', ...value });
    return undefined;
  } catch (error) {
    return failureOf(error, isBudgetSpent);
  }
}

/** @throws always: nothing has come of the first plan, so that there is nothing to report on */
export function withoutPlan(reason: string): never {
  throw ApplicationFailure.nonRetryable(`There is no plan.\nplanner: ${reason}`, 'NoPlan');
}

async function tell(study: Study, { number }: Draft, restart: PlanningRestart | undefined): Promise<void> {
  const { drafts, iterations, lessons, planner, settings, stored } = study;
  const most = settings.max_planning_iterations;
  if (!study.isIntroduced)
    planner.agent.tell({ role: 'user', content: ideaMessage(stored.idea, lessons, most) });
  study.isIntroduced = true;
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

function formOf({ iterations, idea }: Study): Form<Plan> {
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
      return value === undefined ? { error: noPlan } : checked(value);
    },
  };
}
