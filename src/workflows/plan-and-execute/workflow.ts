import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { SolveInput, SolveOutcome, SolveResult } from '../../protocol/plan-and-execute.ts';
import { fitted } from '../runtime/fitted.ts';
import { iterate } from '../runtime/iterate.ts';
import { warningsOf } from '../runtime/run-context.ts';
import { announce, setOutcome } from '../runtime/run-ends.ts';
import { RunHandlers } from '../runtime/run-handlers.ts';
import { cutToBytes, jsonBytes, payloadBytes } from '../runtime/size.ts';
import { judge, resultsAsAnswer, synthesise } from './answering.ts';
import { openPlan, planRoles, type PlanContext, type Retry, type Round } from './context.ts';
import { executeAround, executePlan, retryFailedSubtasks } from './executing.ts';
import { analyse, improvePlan, makePlan, planAround } from './planning.ts';
import { emptyView, viewOf } from './view.ts';

const { prepareSolve } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

/**
 * Analyses a problem, plans subtasks, carries them out in parallel, and puts their results together into an answer that
 * is validated. If the answer is incomplete, only what has failed runs again; what fails then too is planned around; if
 * nothing has failed, subtasks are added for what is missing (the document "Retry Optimization", section Step-by-Step Flow).
 *
 * @throws `ApplicationFailure` of type `InvalidInput` before anything is spent, and `NoPlan` if the planner's model fails
 *   for good before there is a plan
 */
export async function planAndExecute(input: SolveInput): Promise<SolveResult> {
  const handlers = new RunHandlers(emptyView);
  const prepared = await prepareSolve(input);
  announce(handlers.events, prepared.problem, planRoles, prepared.notices);
  const context = await openPlan(prepared, input.attachments ?? [], handlers);
  const { events, settings, subtasks } = context;
  handlers.show(viewOf(context));
  const { outcome } = await iterate<Round, SolveOutcome, Retry>(context, {
    limit: settings.max_retries + 1,
    limitOutcome: 'partial',
    budgetOutcome: 'budget',
    begin(round) {
      context.retries = round.number - 1;
      return { ...round, isStuck: false };
    },
    async work(round) {
      switch (round.restart?.kind) {
        case undefined:
          await analyse(context);
          await makePlan(context);
          await executePlan(context, 'plan');
          break;
        case 'retry_failed':
          await retryFailedSubtasks(context);
          break;
        case 'plan_around':
          if (await planAround(context)) await executeAround(context);
          else await retryFailedSubtasks(context);
          break;
        case 'add_subtasks':
          round.isStuck = !(await improvePlan(context, round.restart.missing));
          if (round.isStuck) return;
          await executePlan(context, 'new_plan');
      }
      await synthesise(context);
    },
    judge: (round) => judge(context, round),
    isBetter: () => true,
    async deliver({ why = '' }) {
      context.answer ??= resultsAsAnswer(context, why);
      context.phase = 'done';
      return { agent: 'synthesis', answer: context.answer.text };
    },
  });
  setOutcome(outcome);
  return fittedResult(context, {
    workflow: 'planAndExecute',
    answer: context.answer?.text ?? '',
    outcome,
    warnings: warningsOf(context),
    subtasks: subtasks.report(),
    executions: subtasks.executions,
    retries: context.retries,
    stateSummary: subtasks.get_state_summary(),
    validation: context.validation,
    usage: context.usage.total,
    events: events.count,
  });
}

/** How many bytes of a result the answer may take, and the references to what is cut. */
const resultBytes = { answer: 400_000, references: 100_000 };

const answerCut = 'The answer is cut in the result; the conversation of the agent `synthesis` has it whole';

/**
 * Cuts what is too long for a workflow's result, the results of subtasks before the answer, and names where the store holds
 * those that are cut.
 */
function fittedResult({ results }: PlanContext, whole: SolveResult): SolveResult {
  const answer = cutToBytes(whole.answer, resultBytes.answer);
  const room = payloadBytes - resultBytes.references - jsonBytes(answer);
  const result = { ...fitted({ ...whole, answer: '' }, room), answer };
  const subtasks = result.subtasks.map((subtask, index) => {
    const ref = results.get(subtask.id);
    const isCut = subtask.result !== whole.subtasks[index]?.result;
    return isCut && typeof ref === 'object' ? { ...subtask, resultRef: ref } : subtask;
  });
  const warnings = answer === whole.answer ? result.warnings : [...result.warnings, answerCut];
  return { ...result, subtasks, warnings };
}
