import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { SolveInput, SolveOutcome, SolveResult } from '../../protocol/plan-and-execute.ts';
import { iterate } from '../runtime/iterate.ts';
import { announce, setOutcome } from '../runtime/run-ends.ts';
import { RunHandlers } from '../runtime/run-handlers.ts';
import { judge, resultsAsAnswer, synthesise } from './answering.ts';
import { beginRound, openPlan, planRoles, type Retry, type Round } from './context.ts';
import { executeNewPlan, executePlan, retryFailedSubtasks } from './executing.ts';
import { analyse, improvePlan, makePlan } from './planning.ts';
import { emptyView, viewOf } from './view.ts';

const { prepareSolve } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

/**
 * A problem is analysed and planned, its subtasks are carried out side by side, their results are put together and
 * validated; then only what has failed runs again, or what is missing is planned anew (the document "Retry
 * Optimization", section Step-by-Step Flow).
 *
 * @throws `ApplicationFailure`: `InvalidInput` before anything is spent; `NoPlan` where the planner's model fails for good
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
    begin: (round) => beginRound(context, round),
    async work(round) {
      switch (round.restart?.kind) {
        case undefined:
          await analyse(context);
          await makePlan(context);
          await executePlan(context);
          break;
        case 'retry_failed':
          await retryFailedSubtasks(context);
          break;
        case 'add_subtasks':
          round.isStuck = !(await improvePlan(context, round.restart.missing));
          if (round.isStuck) return;
          await executeNewPlan(context);
      }
      await synthesise(context, round);
    },
    judge: (round) => judge(context, round),
    isBetter: () => true,
    async deliver({ why = '' }) {
      context.answer ??= resultsAsAnswer(context, why);
      context.phase = 'done';
      return { agent: 'synthesis', answer: context.answer };
    },
  });
  setOutcome(outcome);
  return {
    workflow: 'planAndExecute',
    answer: context.answer ?? '',
    outcome,
    subtasks: subtasks.report(),
    executions: subtasks.executions,
    retries: context.retries,
    stateSummary: subtasks.get_state_summary(),
    validation: context.validation,
    usage: context.usage.total,
    events: events.count,
  };
}
