import { atOpening } from '../runtime/own-store.ts';
import type { ResearchInput, ResearchOutcome, ResearchResult } from '../../protocol/research.ts';
import { truncateToPayload } from '../runtime/size.ts';
import { iterate } from '../runtime/iterate.ts';
import { announce, opened, showEnd, tellIfFailed } from '../runtime/run-ends.ts';
import { RunHandlers } from '../runtime/run-handlers.ts';
import { openResearch, researchRoles, type Draft, type PlanningRestart } from './context.ts';
import { deliver, resultOf } from './delivery.ts';
import { beginDraft, endLastDraft, isBetterDraft, refuse, replan, restartFor } from './drafts.ts';
import { judge } from './judging.ts';
import { OperatorControl } from './operator-control.ts';
import { plan } from './planning.ts';
import { followUp, search } from './searching.ts';
import { synthesise, withoutFindings } from './synthesis.ts';
import { emptyView, viewOf } from './view.ts';

/**
 * Plans how to examine an idea, searches, and has the plan criticised, again while it is not good enough and iterations are left.
 * Then the report is written and stored, and a GitHub issue is opened if one is wanted (the document "Conditional Restart Logic",
 * whose nodes are plan → web_research → criticism → synthesize → persist → github_issue).
 *
 * @throws `ApplicationFailure` of type `InvalidInput` before anything is spent, `NoPlan` if the planner fails to make a
 *   first plan, and `NoScore` if the critic gives no score and `on_missing_score` is `fail`
 */
export async function research(input: ResearchInput): Promise<ResearchResult> {
  const handlers = new RunHandlers(emptyView);
  const operator = new OperatorControl(handlers);
  const context = await opened(async () => {
    const prepared = await atOpening.prepareResearch(input);
    announce(handlers, prepared.idea, researchRoles, prepared);
    return openResearch(prepared, input.attachments, handlers);
  });
  const { settings } = context;
  handlers.view = viewOf(context);
  const ended = iterate<Draft, ResearchOutcome, PlanningRestart>(
    context,
    {
      limit: settings.max_planning_iterations,
      limitOutcome: 'iteration_limit',
      begin: (iteration) => beginDraft(context, iteration),
      async work(draft) {
        await plan(context, draft);
        if (draft.plan !== undefined) await search(context, draft, draft.plan);
      },
      judge: (draft) => judge(context, draft, operator.hasAccepted),
      async conclude(draft, outcome) {
        operator.isConcluding = true;
        endLastDraft(context);
        if (outcome === 'no_material') {
          context.report = withoutFindings(context);
          return;
        }
        if (settings.approval) await operator.review(context, draft);
        await followUp(context, draft);
        await synthesise(context, draft, outcome);
      },
      requested: ({ instructions, reason }) => restartFor('person', reason, instructions),
      refused: (restart) => refuse(context, restart),
      again(draft, restart) {
        // An acceptance does not extend to a plan that is made after it.
        operator.hasAccepted = false;
        operator.isConcluding = false;
        replan(context, draft, restart);
      },
      isBetter: isBetterDraft,
      finalOutcome: (outcome) => (outcome === 'viable' && context.warnings.length > 0 ? 'degraded' : outcome),
      deliver: (end) => deliver(context, end),
    },
    (interrupt) => operator.steer(context, interrupt),
  );
  const { outcome } = await tellIfFailed(context, ended);
  showEnd(outcome, context.usage.total);
  return truncateToPayload(resultOf(context, outcome));
}
