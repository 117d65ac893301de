import { ApplicationFailure } from '@temporalio/workflow';
import { failureTypes } from '../../protocol/errors.ts';
import type { ResearchOutcome, RestartKind } from '../../protocol/research.ts';
import type { Verdict } from '../runtime/iterate.ts';
import type { Draft, PlanningRestart, ResearchContext } from './context.ts';
import { criticise } from './criticism.ts';
import { hasMaterial, restartFor } from './drafts.ts';
import { isPriorArt } from './rules/prior-art.ts';
import { nextStep } from './rules/viability.ts';

type ResearchVerdict = Verdict<ResearchOutcome, PlanningRestart>;

/**
 * Decides what follows the searches of a plan (the document "Conditional Restart Logic", section Conditional Routing). The critic
 * names the similar works in the same reply; if they are too many, the rest of it does not count.
 *
 * @param isAccepted whether a person has accepted the plan before there was anything to judge
 * @throws `ApplicationFailure` of the types `NoPlan`, `NoScore`
 */
export async function judge(context: ResearchContext, draft: Draft, isAccepted: boolean): Promise<ResearchVerdict> {
  if (draft.plan === undefined) return unplanned(context, draft);
  if (!hasMaterial(draft)) return withoutMaterial(context, draft, isAccepted);
  if (isAccepted) return { kind: 'accept', outcome: 'viable' };
  const criticism = await criticise(context, draft);
  const { improve, score, servesGoal, similar = [], text, verdict } = criticism;
  draft.similar = criticism.similar;
  if (tellPriorArt(context, draft) && !draft.isLast) {
    draft.criticism = { ...criticism, score: null, verdict: null };
    const titles = similar.map(({ title }) => title).join('; ');
    return again('prior_art', `${similar.length} similar implementations were found: ${titles}`, improve);
  }
  draft.criticism = criticism;
  context.events.emit({ type: 'criticising' });
  context.events.emit({ type: 'criticism', score, verdict: verdict ?? '', text });
  if (!servesGoal) return again('goal', 'The plan is not about what the user asked for', improve);
  return afterCriticism(context, draft);
}

function afterCriticism(context: ResearchContext, { criticism }: Draft): ResearchVerdict {
  const { settings } = context;
  const { improve, score = null, text = '' } = criticism ?? {};
  const next = nextStep(score, settings);
  switch (next) {
    case 'fail': {
      const message = `The critic gave no score, asked twice (on_missing_score: fail).\n${text}`;
      throw ApplicationFailure.nonRetryable(message, failureTypes.noScore);
    }
    case 'proceed':
      if (score === null) context.warn('There is no score: on_missing_score is proceed, so it goes on without');
      return { kind: 'accept', outcome: 'viable' };
    case 'no_score':
      return again(next, 'The criticism has no score (on_missing_score: restart)', improve);
    case 'viability':
      return again(next, `Its viability score is ${score}/100, below ${settings.min_viability_score}`, improve);
  }
}

const again = (kind: RestartKind, reason: string, improve?: string): ResearchVerdict => ({
  kind: 'again',
  restart: restartFor(kind, reason, improve),
});

/** Tells how much similar work there is, if that is known. @returns whether it is too much */
function tellPriorArt({ drafts, events, iterations, settings }: ResearchContext, { similar }: Draft): boolean {
  if (similar === undefined) return false;
  const isTooMuch = isPriorArt(similar.length, settings.max_similar_implementations);
  const fewer = !isTooMuch && iterations[drafts.length - 2]?.restartKind === 'prior_art';
  events.emit({ type: 'prior_art', similar: similar.length, works: similar.map(({ url }) => url), fewer });
  return isTooMuch;
}

/**
 * No search has found anything. The planner tries once more with other queries, unless no search has worked at all; else the best
 * earlier iteration goes on.
 */
function withoutMaterial(context: ResearchContext, draft: Draft, isAccepted: boolean): ResearchVerdict {
  const { found, isLast, restart } = draft;
  const isDown = found?.gaps.length === found?.queries.length;
  const reason = isDown ? 'No search has worked' : 'The searches have found nothing';
  if (!isDown && !isLast && !isAccepted && restart?.kind !== 'no_material') return again('no_material', reason);
  context.warn(reason);
  if (!context.drafts.some(hasMaterial)) return { kind: 'accept', outcome: 'no_material' };
  return { kind: 'accept', outcome: isAccepted ? 'viable' : 'iteration_limit', best: true };
}

/** The run fails if that was its first plan, else it ends with the best one before. */
function unplanned(context: ResearchContext, draft: Draft): ResearchVerdict {
  const reason = draft.noPlan ?? '';
  if (context.iterations.length === 0)
    throw ApplicationFailure.nonRetryable(`There is no plan.\nplanner: ${reason}`, failureTypes.noPlan);
  context.warn(`There is no new plan: ${reason}`, 'planner');
  const hasSome = context.drafts.some(hasMaterial);
  return { kind: 'accept', outcome: hasSome ? 'iteration_limit' : 'no_material', best: true };
}
