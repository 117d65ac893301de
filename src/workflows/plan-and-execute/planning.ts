import { ApplicationFailure } from '@temporalio/workflow';
import { callFailure, isBudgetSpent } from '../agent/failures.ts';
import { structured, type Form } from '../agent/structured-output.ts';
import type { PlannedSubtask, QueryAnalysis } from '../../protocol/plan-and-execute.ts';
import { askForPlan, improveMessage, problemMessage } from './prompts.ts';
import { analysisTool, subtasksTool } from './tools.ts';
import { planProblems } from './rules/subtask-graph.ts';
import { analysisIn, analysisOf, subtasksIn, subtasksOf } from './rules/subtask-plan.ts';
import { atWork, purposeOf, type Job } from './context.ts';

/** Has the planner say what the answer must hold. What cannot be read counts as the problem itself. */
export async function analyse(job: Job): Promise<void> {
  const { attachments, events, planner, problem, stored } = job;
  job.phase = 'analysing';
  events.emit({ type: 'phase', phase: 'QUERY ANALYSIS' });
  const images = attachments.flatMap(({ image }) => image ?? []);
  planner.agent.tell({
    role: 'user',
    content: problemMessage(stored.problem, attachments),
    ...(images.length > 0 && { images }),
  });
  const { value } = await ask(job, 'analyse', stored.tools.analysis, analysisForm);
  job.analysis = value ?? { requirements: [firstLine(problem)], answerFormat: 'a text' };
  events.emit({ type: 'analysis', ...job.analysis });
}

/** Has the planner draw the plan. One that cannot be used is replaced by the problem as its only subtask. */
export async function makePlan(job: Job): Promise<void> {
  const { events, planner, problem, stored } = job;
  job.phase = 'planning';
  events.emit({ type: 'phase', phase: 'PLANNING' });
  planner.agent.tell({ role: 'user', content: askForPlan });
  const { error, value } = await ask(job, 'plan', stored.tools.plan, planForm(job));
  if (error !== undefined)
    events.emit({
      type: 'warning',
      agent: 'planner',
      text: `The plan cannot be used, so that the problem is its only subtask: ${error}`,
    });
  take(job, error === undefined && value !== undefined ? value : [whole(problem)]);
}

/**
 * Has the planner draw further subtasks for what is missing.
 *
 * @returns how many there are; 0: it has none that could be used
 */
export async function improvePlan(job: Job, missing: string[]): Promise<number> {
  const { events, planner, settings, stored, subtasks } = job;
  job.phase = 'planning';
  const ids = subtasks.report().map(({ id }) => id);
  if (ids.length >= settings.max_subtasks) {
    const text = `There is no new plan: all ${settings.max_subtasks} subtasks that there may be are there (max_subtasks)`;
    events.emit({ type: 'warning', agent: 'planner', text });
    return 0;
  }
  planner.agent.tell({ role: 'user', content: improveMessage(missing, ids, subtasks.deadEnds) });
  try {
    const { error, value } = await ask(job, 'plan', stored.tools.plan, planForm(job));
    if (error === undefined && value !== undefined) {
      take(job, value);
      return value.length;
    }
    events.emit({ type: 'warning', agent: 'planner', text: `The new plan cannot be used: ${error}` });
  } catch (failure) {
    if (isBudgetSpent(failure)) throw failure;
    const { reason } = callFailure(failure);
    events.emit({ type: 'warning', agent: 'planner', text: `There is no new plan: ${reason}` });
  }
  return 0;
}

/** @throws `ApplicationFailure` of type `NoPlan` where the model fails for good */
async function ask<T>(job: Job, what: 'analyse' | 'plan', tools: string, form: Form<T>) {
  try {
    return await atWork(job, 'planner', 'planning', (onAsking) =>
      structured({ ...job.planner, tools }, purposeOf(job, what), form, onAsking),
    );
  } catch (error) {
    if (isBudgetSpent(error)) throw error;
    throw ApplicationFailure.nonRetryable(
      `There is no plan.\nplanner: ${callFailure(error).reason}`,
      'NoPlan',
    );
  }
}

function take({ events, subtasks }: Job, planned: PlannedSubtask[]): void {
  subtasks.add(planned);
  events.emit({ type: 'subtasks', subtasks: planned });
}

const analysisForm: Form<QueryAnalysis> = {
  tool: analysisTool.name,
  read: (input) => ({ value: analysisOf(input) }),
  readText: (text) => {
    const value = analysisIn(text);
    return value === undefined ? { error: 'That was no analysis. Call `submit_analysis`.' } : { value };
  },
};

function planForm({ attachments, settings, subtasks }: Job): Form<PlannedSubtask[]> {
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

const whole = (problem: string): PlannedSubtask => ({
  id: 'step_1',
  description: `Solve the problem: ${firstLine(problem)}`,
  dependsOn: [],
});

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';
