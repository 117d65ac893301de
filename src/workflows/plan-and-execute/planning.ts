import { ApplicationFailure } from '@temporalio/workflow';
import { failureReason } from '../agent/failures.ts';
import { structured, type OutputSpec } from '../agent/structured-output.ts';
import { failureTypes } from '../../protocol/errors.ts';
import type { PlannedSubtask, QueryAnalysis } from '../../protocol/plan-and-execute.ts';
import { analysisTool, askForPlan, improveMessage, problemMessage, subtasksTool } from './prompts.ts';
import { planProblems } from './rules/subtask-graph.ts';
import { analysisIn, analysisOf, subtasksIn, subtasksOf } from './rules/subtask-plan.ts';
import { atWork, purposeOf, type PlanContext } from './context.ts';

/**
 * Has the planner say what the answer must hold. If its reply cannot be read, the problem itself is the requirement.
 *
 * @throws `ApplicationFailure` of type `NoPlan` if the planner's model fails for good
 */
export async function analyse(context: PlanContext): Promise<void> {
  const { attachments, events, planner, problem, stored } = context;
  context.phase = 'analysing';
  events.emit({ type: 'phase', phase: 'QUERY ANALYSIS' });
  const images = attachments.flatMap(({ image }) => image ?? []);
  planner.agent.tell({
    role: 'user',
    content: problemMessage(stored.problem, attachments),
    ...(images.length > 0 && { images }),
  });
  const { value } = await orNoPlan(ask(context, 'analyse', analysisSpec));
  context.analysis = value ?? { requirements: [firstLine(problem)], answerFormat: 'a text' };
  events.emit({ type: 'analysis', ...context.analysis });
}

/**
 * Has the planner make the plan. A plan that cannot be used is replaced by the problem as the only subtask.
 *
 * @throws `ApplicationFailure` of type `NoPlan` if the planner's model fails for good
 */
export async function makePlan(context: PlanContext): Promise<void> {
  const { events, planner, problem } = context;
  context.phase = 'planning';
  events.emit({ type: 'phase', phase: 'PLANNING' });
  planner.agent.tell({ role: 'user', content: askForPlan });
  const { error, value } = await orNoPlan(ask(context, 'plan', planSpec(context)));
  if (error !== undefined) {
    const text = `The plan cannot be used, so that the problem is its only subtask: ${error}`;
    events.emit({ type: 'warning', agent: 'planner', text });
  }
  const whole = { id: 'step_1', description: `Solve the problem: ${firstLine(problem)}`, dependsOn: [] };
  take(context, error === undefined && value !== undefined ? value : [whole]);
}

/** Has the planner add subtasks for what is missing. @returns whether there are any that can be used */
export async function improvePlan(context: PlanContext, missing: string[]): Promise<boolean> {
  const { events, planner, settings, subtasks } = context;
  events.emit({ type: 'new_plan_round', missing });
  context.phase = 'planning';
  const ids = subtasks.report().map(({ id }) => id);
  if (ids.length >= settings.max_subtasks) {
    const text = `There is no new plan: all ${settings.max_subtasks} subtasks that there may be are there (max_subtasks)`;
    events.emit({ type: 'warning', agent: 'planner', text });
    return false;
  }
  planner.agent.tell({ role: 'user', content: improveMessage(missing, ids, subtasks.deadEnds) });
  try {
    const { error, value } = await ask(context, 'plan', planSpec(context));
    if (error === undefined && value !== undefined) {
      take(context, value);
      return true;
    }
    events.emit({ type: 'warning', agent: 'planner', text: `The new plan cannot be used: ${error}` });
  } catch (failure) {
    const text = `There is no new plan: ${failureReason(failure)}`;
    events.emit({ type: 'warning', agent: 'planner', text });
  }
  return false;
}

async function ask<T>(context: PlanContext, what: 'analyse' | 'plan', spec: OutputSpec<T>) {
  return atWork(context, 'planner', 'planning', (onAsking) =>
    structured(context.planner, purposeOf(context, what), spec, onAsking),
  );
}

async function orNoPlan<T>(reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    const message = `There is no plan.\nplanner: ${failureReason(error)}`;
    throw ApplicationFailure.nonRetryable(message, failureTypes.noPlan);
  }
}

function take({ events, subtasks }: PlanContext, planned: PlannedSubtask[]): void {
  subtasks.add(planned);
  events.emit({ type: 'subtasks', subtasks: planned });
}

const analysisSpec: OutputSpec<QueryAnalysis> = {
  tool: analysisTool.name,
  read: (input) => ({ value: analysisOf(input) }),
  readText: (text) => {
    const value = analysisIn(text);
    return value === undefined ? { error: 'That was no analysis. Call `submit_analysis`.' } : { value };
  },
};

function planSpec({ attachments, settings, subtasks }: PlanContext): OutputSpec<PlannedSubtask[]> {
  const known = {
    ids: subtasks.report().map(({ id }) => id),
    attachments: attachments.map(({ name }) => name),
    most: settings.max_subtasks,
  };
  const checked = (value: PlannedSubtask[]) => {
    const problems = planProblems(value, known);
    return problems.length === 0 ? { value } : { value, error: problems.join('; ') };
  };
  return {
    tool: subtasksTool.name,
    read: (input) => checked(subtasksOf(input)),
    readText: (text) => {
      const value = subtasksIn(text, known.ids);
      return value === undefined ? { error: 'That was no plan. Call `submit_plan`.' } : checked(value);
    },
  };
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';
