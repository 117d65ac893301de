import { ApplicationFailure } from '@temporalio/workflow';
import { failureReason } from '../agent/failures.ts';
import { structured, type OutputSpec, type Read } from '../agent/structured-output.ts';
import { cutToBytes, jsonBytes } from '../runtime/size.ts';
import { failureTypes } from '../../protocol/errors.ts';
import type { Content } from '../../protocol/message.ts';
import type { PlannedSubtask, QueryAnalysis } from '../../protocol/plan-and-execute.ts';
import { aroundMessage, askForPlan, improveMessage, problemMessage, type PlanState } from './prompts.ts';
import { analysisIn, analysisOf, planProblems, subtasksIn, subtasksOf } from './rules/subtask-graph.ts';
import { purposeOf, resultsOf, type PlanContext } from './context.ts';
import { analysisTool, subtasksTool } from './tools.ts';

/** How many bytes the results may have together where further subtasks are asked for. */
const resultsBytes = 60_000;

/** How many bytes all plans of a run may have together as JSON. */
const plansBytes = 300_000;

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
  if (value === undefined)
    context.warn('The analysis cannot be used, so that the problem is the requirement', 'planner');
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
  if (error !== undefined)
    context.warn(`The plan cannot be used, so that the problem is its only subtask: ${error}`, 'planner');
  const whole = { id: 'step_1', description: `Solve the problem: ${firstLine(problem)}`, dependsOn: [] };
  take(context, error === undefined && value !== undefined ? value : [whole]);
}

/** Has the planner add subtasks for what is missing. @returns whether there are any that can be used */
export async function improvePlan(context: PlanContext, missing: string[]): Promise<boolean> {
  context.events.emit({ type: 'new_plan_round', missing });
  const added = await furtherSubtasks(context, (state) => improveMessage(missing, state));
  if (added.length > 0) take(context, added);
  return added.length > 0;
}

/** The same in the place of dead ends. There may be no other way. */
export async function planAround(context: PlanContext): Promise<boolean> {
  const { events, subtasks } = context;
  const deadEnds = subtasks.neededDeadEnds;
  events.emit({ type: 'plan_around_round', ids: deadEnds.map(({ id }) => id) });
  const waiting = subtasks.neededFailures.filter(({ id }) => !deadEnds.some((each) => each.id === id));
  const added = await furtherSubtasks(context, (state) => aroundMessage({ ...state, deadEnds }, waiting));
  if (added.length === 0) return false;
  subtasks.addAround(added);
  events.emit({ type: 'subtasks', subtasks: added });
  return true;
}

/** @returns none, with a warning, if there may be none or the planner gives none that can be used */
async function furtherSubtasks(
  context: PlanContext,
  messageOf: (state: PlanState) => Content,
): Promise<PlannedSubtask[]> {
  const { planner, settings, subtasks } = context;
  const { max_subtasks } = settings;
  const none = (why: string): PlannedSubtask[] => {
    context.warn(why, 'planner');
    return [];
  };
  context.phase = 'planning';
  const ids = subtasks.report().map(({ id }) => id);
  if (ids.length >= max_subtasks)
    return none(`There is no new plan: all ${max_subtasks} subtasks that there may be are there (max_subtasks)`);
  const state = { results: await resultsOf(context, resultsBytes), ids, deadEnds: subtasks.deadEnds };
  planner.agent.tell({ role: 'user', content: messageOf(state) });
  try {
    const { error, value } = await ask(context, 'plan', planSpec(context));
    if (error !== undefined || value === undefined) return none(`The new plan cannot be used: ${error}`);
    return value.length > 0 ? value : none('The planner knows no way around what has failed');
  } catch (failure) {
    return none(`There is no new plan: ${failureReason(failure)}`);
  }
}

const ask = <T>(context: PlanContext, what: 'analyse' | 'plan', spec: OutputSpec<T>) =>
  structured(context.planner, 'planning', purposeOf(context, what), spec);

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

const readAnalysis = (value: QueryAnalysis | undefined): Read<QueryAnalysis> =>
  value === undefined ? { error: 'That was no analysis.' } : { value };

const analysisSpec: OutputSpec<QueryAnalysis> = {
  tool: analysisTool.name,
  read: (input) => readAnalysis(analysisOf(input)),
  readText: (text) => readAnalysis(analysisIn(text)),
};

function planSpec({ attachments, settings, subtasks }: PlanContext): OutputSpec<PlannedSubtask[]> {
  const report = subtasks.report();
  const planned = report.map(({ dependsOn, description, id }) => ({ id, description, dependsOn }));
  const known = {
    ids: report.map(({ id }) => id),
    usable: report.filter(({ status }) => status === 'completed').map(({ id }) => id),
    replaceable: subtasks.neededFailures.map(({ id }) => id),
    attachments: attachments.map(({ name }) => name),
    most: settings.max_subtasks,
    bytes: plansBytes - jsonBytes(planned),
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
      return value === undefined ? { error: 'That was no plan.' } : checked(value);
    },
  };
}

const firstLine = (text: string): string => cutToBytes(text.trim().split('\n')[0] ?? '', 500);
