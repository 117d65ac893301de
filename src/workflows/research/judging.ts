import { ApplicationFailure } from '@temporalio/workflow';
import { failureTypes } from '../../protocol/errors.ts';
import type { ResearchOutcome, RestartKind } from '../../protocol/research.ts';
import type { Verdict } from '../runtime/iterate.ts';
import type { Draft, PlanningRestart, ResearchContext } from './context.ts';
import { criticise } from './criticism.ts';
import { restartFor } from './drafts.ts';
import { isPriorArt } from './rules/prior-art.ts';
import { nextStep } from './rules/viability.ts';

type ResearchVerdict = Verdict<ResearchOutcome, PlanningRestart>;

/**
 * Decides what follows the searches of a plan: planning starts again if there is much similar work or the criticism's
 * score is low, else the synthesis follows (the document "Conditional Restart Logic", section Conditional Routing).
 *
 * @param isAccepted whether a person has accepted the plan before there was anything to judge
 * @throws `ApplicationFailure` of the types `NoPlan`, `NoScore`
 */
export async function judge(context: ResearchContext, draft: Draft, isAccepted: boolean): Promise<ResearchVerdict> {
  if (draft.plan === undefined) return unplanned(context, draft);
  const { similar = [] } = draft.found ?? {};
  const isTooSimilar = tellPriorArt(context, draft);
  if (isAccepted) return { kind: 'accept', outcome: 'viable' };
  if (isTooSimilar && !draft.isLast) {
    const titles = similar.map(({ title }) => title).join('; ');
    return again('prior_art', `${similar.length} similar implementations were found: ${titles}`);
  }
  await criticise(context, draft);
  return afterCriticism(context, draft);
}

function afterCriticism({ events, settings }: ResearchContext, { criticism }: Draft): ResearchVerdict {
  const { score = null, text = '' } = criticism ?? {};
  const next = nextStep(score, settings);
  switch (next) {
    case 'fail': {
      const message = `The critic gave no score, asked twice (on_missing_score: fail).\n${text}`;
      throw ApplicationFailure.nonRetryable(message, failureTypes.noScore);
    }
    case 'proceed':
      if (score === null) {
        const warning = 'There is no score: on_missing_score is proceed, so it goes on without';
        events.emit({ type: 'warning', text: warning });
      }
      return { kind: 'accept', outcome: 'viable' };
    case 'no_score':
      return again(next, 'The criticism has no score');
    case 'viability':
      return again(next, `Its viability score is ${score}/100, below ${settings.min_viability_score}`);
  }
}

const again = (kind: RestartKind, reason: string): ResearchVerdict => ({
  kind: 'again',
  restart: restartFor(kind, reason),
});

/** Tells how much similar work there is. @returns whether it is too much */
function tellPriorArt({ drafts, events, iterations, settings }: ResearchContext, { found }: Draft): boolean {
  const { similar = [] } = found ?? {};
  const isTooMuch = isPriorArt(similar.length, settings.max_similar_implementations);
  const fewer = !isTooMuch && iterations[drafts.length - 2]?.restartKind === 'prior_art';
  events.emit({ type: 'prior_art', similar: similar.length, works: similar.map(({ url }) => url), fewer });
  return isTooMuch;
}

/** The planner has failed for good: the run fails if that was its first plan, else it ends with the best one before. */
function unplanned(context: ResearchContext, draft: Draft): ResearchVerdict {
  const reason = draft.noPlan ?? '';
  if (context.iterations.length === 0)
    throw ApplicationFailure.nonRetryable(`There is no plan.\nplanner: ${reason}`, failureTypes.noPlan);
  context.events.emit({ type: 'warning', agent: 'planner', text: `There is no new plan: ${reason}` });
  context.restart = undefined;
  context.drafts.pop();
  return { kind: 'accept', outcome: 'iteration_limit', best: true };
}
