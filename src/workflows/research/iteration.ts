import { ApplicationFailure } from '@temporalio/workflow';
import { isBudgetSpent } from '../agent/failures.ts';
import type { Report, ResearchOutcome } from '../../protocol/research.ts';
import { guidanceFor } from './prompts.ts';
import { isPriorArt } from './rules/prior-art.ts';
import { bestOf, nextStep } from './rules/viability.ts';
import { criticise } from './criticism.ts';
import type { Person, Wish } from './operator-control.ts';
import { plan, withoutPlan } from './planning.ts';
import { search } from './searching.ts';
import { beginDraft, endDraft, present, type Draft, type PlanningRestart, type Study } from './context.ts';
import { synthesise, withoutWriter } from './synthesis.ts';

/** The nodes of the document's graph, and who goes where (section Conditional Routing). */
type Step =
  | { kind: 'iterate' }
  | { kind: 'approve'; draft: Draft; outcome: ResearchOutcome }
  | { kind: 'synthesise'; draft: Draft; outcome: ResearchOutcome }
  | { kind: 'done'; report: Report; outcome: ResearchOutcome };

export type Ending = Extract<Step, { kind: 'done' }>;

/** Goes from step to step until there is a report. A person may lead elsewhere at any of them. */
export async function runResearch(study: Study, person: Person): Promise<Ending> {
  let step: Step = { kind: 'iterate' };
  while (step.kind !== 'done') step = await follow(study, person, step);
  return step;
}

async function follow(study: Study, person: Person, step: Exclude<Step, Ending>): Promise<Step> {
  try {
    if (step.kind === 'approve') {
      study.phase = 'waiting for approval';
      study.events.emit({ type: 'approval' });
      return granted(study, await person.decision(), step);
    }
    const end = await person.unlessStopped(() =>
      step.kind === 'iterate' ? iterate(study, person) : write(study, step),
    );
    return 'done' in end ? end.done : granted(study, end.wish, step);
  } catch (error) {
    if (!isBudgetSpent(error)) throw error;
    study.events.emit({ type: 'stopped', why: 'budget' });
    return endNow(study, 'budget', error.message);
  }
}

/** plan → web_research → criticism, and from there to plan again or to synthesize. */
async function iterate(study: Study, person: Person): Promise<Step> {
  const { events, settings } = study;
  const draft = beginDraft(study);
  const problem = await plan(study, draft);
  if (draft.plan === undefined) return unplanned(study, draft, problem ?? '');
  await search(study, draft, draft.plan);
  const isLast = draft.number >= settings.max_planning_iterations;
  if (sayPriorArt(study, draft) && !isLast && !person.isContent) {
    const { similar = [] } = draft.found ?? {};
    const titles = similar.map(({ title }) => title).join('; ');
    return replan(
      study,
      draft,
      'prior art',
      `${similar.length} similar implementations were found: ${titles}`,
    );
  }
  if (person.isContent) {
    endDraft(study, draft, undefined);
    return { kind: 'synthesise', draft, outcome: 'viable' };
  }
  await criticise(study, draft);
  const score = draft.criticism?.score ?? null;
  const next = nextStep({ score, iteration: draft.number, settings });
  switch (next.kind) {
    case 'restart':
      return replan(study, draft, next.why, reasonFor(study, score));
    case 'fail':
      throw ApplicationFailure.nonRetryable(
        `The critic gave no score, asked twice (on_missing_score: fail).\n${draft.criticism?.text ?? ''}`,
        'NoScore',
      );
    case 'proceed':
      if (score === null)
        events.emit({
          type: 'warning',
          text: 'There is no score: on_missing_score is proceed, so it goes on without',
        });
      return proceed(study, draft, next.outcome);
  }
}

/** @returns whether there is too much similar work */
function sayPriorArt({ drafts, events, iterations, settings }: Study, { found }: Draft): boolean {
  const { similar = [] } = found ?? {};
  const isTooMuch = isPriorArt(similar.length, settings.max_similar_implementations);
  const fewer = !isTooMuch && iterations[drafts.length - 2]?.restartKind === 'prior art';
  events.emit({ type: 'prior art', similar: similar.length, works: similar.map(({ url }) => url), fewer });
  return isTooMuch;
}

const reasonFor = ({ settings }: Study, score: number | null): string =>
  score === null
    ? 'The criticism has no score'
    : `Its viability score is ${score}/100, below ${settings.min_viability_score}`;

/** The planner has failed for good: with the first plan there is nothing, later there is what came before. */
function unplanned(study: Study, draft: Draft, reason: string): Step {
  if (study.iterations.length === 0) withoutPlan(reason);
  study.events.emit({ type: 'warning', agent: 'planner', text: `There is no new plan: ${reason}` });
  study.restart = undefined;
  study.drafts.splice(study.drafts.indexOf(draft), 1);
  return onward(study, bestDraft(study), 'iteration_limit');
}

function replan(
  study: Study,
  draft: Draft,
  kind: PlanningRestart['kind'],
  reason: string,
  instructions?: string,
): Step {
  const restart = { kind, reason, guidance: guidanceFor(kind, instructions) };
  const more = study.iterations.some(({ restartKind }) => restartKind === kind);
  study.restart = restart;
  endDraft(study, draft, restart);
  study.events.emit({ type: 'planning restart', ...restart, from: draft.number, to: draft.number + 1, more });
  return { kind: 'iterate' };
}

/** At the limit the best iteration goes on, which need not be the last. */
function proceed(study: Study, draft: Draft, outcome: 'viable' | 'iteration_limit'): Step {
  endDraft(study, draft, undefined);
  return onward(study, outcome === 'viable' ? draft : bestDraft(study), outcome);
}

const onward = ({ settings }: Study, draft: Draft, outcome: ResearchOutcome): Step => ({
  kind: settings.approval ? 'approve' : 'synthesise',
  draft,
  outcome,
});

async function write(study: Study, { draft, outcome }: Extract<Step, { kind: 'synthesise' }>): Promise<Step> {
  return { kind: 'done', report: await synthesise(study, draft, outcome === 'iteration_limit'), outcome };
}

/** What becomes of a research when a person wants something of it. */
function granted(study: Study, wish: Wish, step: Step): Step {
  const draft = present(study) ?? beginDraft(study);
  switch (wish.kind) {
    case 'restart':
      return replan(study, draft, 'person', wish.reason, wish.instructions);
    case 'accept': {
      endDraft(study, draft, undefined);
      if (step.kind === 'approve') return { ...step, kind: 'synthesise' };
      return {
        kind: 'synthesise',
        draft: draft.found === undefined ? bestDraft(study) : draft,
        outcome: 'viable',
      };
    }
    case 'stop': {
      const note = wish.note.trim() === '' ? '' : ` (${wish.note.trim()})`;
      return endNow(study, 'stopped', `a person has stopped the research${note}`);
    }
  }
}

/** Without any further call: what there is makes the report. */
function endNow(study: Study, outcome: ResearchOutcome, why: string): Step {
  const draft = present(study);
  if (draft !== undefined) endDraft(study, draft, undefined);
  const chosen = study.drafts.some(({ found }) => found !== undefined) ? bestDraft(study) : draft;
  return { kind: 'done', report: withoutWriter(study, chosen, why), outcome };
}

/** The draft of the best iteration among those that were searched for. */
function bestDraft({ drafts, iterations }: Study): Draft {
  const searched = iterations.filter((_, index) => drafts[index]?.found !== undefined);
  const best = bestOf(searched.length === 0 ? iterations : searched);
  return drafts[best.iteration - 1] as Draft;
}
