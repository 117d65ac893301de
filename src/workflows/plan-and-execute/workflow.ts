import { atOpening } from '../runtime/own-store.ts';
import type { SolveInput, SolveOutcome, SolveResult } from '../../protocol/plan-and-execute.ts';
import { iterate } from '../runtime/iterate.ts';
import { announce, opened, showEnd, tellIfFailed } from '../runtime/run-ends.ts';
import { RunHandlers } from '../runtime/run-handlers.ts';
import { judge, resultOf, resultsAsAnswer, synthesise, takeWhole } from './answering.ts';
import { openPlan, planRoles, type Round } from './context.ts';
import type { Retry } from './rules/validation.ts';
import { execute } from './executing.ts';
import { analyse, improvePlan, makePlan, planAround } from './planning.ts';
import { emptyView, viewOf } from './view.ts';

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
  const context = await opened(async () => {
    const prepared = await atOpening.prepareSolve(input);
    announce(handlers, prepared.problem, planRoles, prepared);
    return openPlan(prepared, input.attachments ?? [], handlers);
  });
  const { settings } = context;
  handlers.view = viewOf(context);
  const ended = iterate<Round, SolveOutcome, Retry>(context, {
    limit: settings.max_retries + 1,
    limitOutcome: 'partial',
    begin(round) {
      context.retries = round.number - 1;
      return { ...round, isStuck: false };
    },
    async work(round) {
      const { restart } = round;
      if (restart === undefined) {
        await analyse(context);
        await makePlan(context);
        await execute(context, 'plan');
      } else if (restart.kind === 'add_subtasks') {
        round.isStuck = !(await improvePlan(context, restart.missing));
        if (round.isStuck) return;
        await execute(context, 'new_plan');
      } else {
        const isAround = restart.kind === 'plan_around' && (await planAround(context));
        await execute(context, isAround ? 'new_plan' : 'retry', context.subtasks.beginRound());
      }
      await synthesise(context);
    },
    judge: (round) => judge(context, round),
    isBetter: () => true,
    async deliver({ why = '' }) {
      context.answer ??= resultsAsAnswer(context, why);
      takeWhole(context);
      context.phase = 'done';
      if (context.files !== undefined) context.workspace = await context.files.result();
      return { agent: 'synthesis', answer: context.answer.text };
    },
  });
  const { outcome } = await tellIfFailed(context, ended);
  showEnd(outcome, context.usage.total);
  return resultOf(context, outcome);
}
