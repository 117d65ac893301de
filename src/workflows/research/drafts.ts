import type { Iteration as IterationRecord, RestartKind } from '../../protocol/research.ts';
import type { Iteration } from '../runtime/iterate.ts';
import { cutToBytes } from '../runtime/size.ts';
import type { Draft, PlanningRestart, ResearchContext } from './context.ts';
import { guidanceFor } from './prompts.ts';
import { isReport } from './rules/prior-art.ts';

export function beginDraft(context: ResearchContext, iteration: Iteration<PlanningRestart>): Draft {
  const draft: Draft = { ...iteration, approach: '', before: spentOf(context) };
  context.drafts.push(draft);
  return draft;
}

/**
 * Records the last draft as ended. A second call replaces the record: it comes when a person asks for another iteration after the
 * last one had been accepted.
 *
 * @param restart why another iteration follows; undefined if none does
 */
function endDraft(context: ResearchContext, restart: PlanningRestart | undefined): void {
  const draft = context.drafts.at(-1);
  if (draft === undefined) return;
  const { calls, tokens, costUsd } = spentOf(context);
  const { before, criticism, plan, similar } = draft;
  context.iterations[context.drafts.length - 1] = {
    iteration: context.drafts.length,
    idea: plan?.idea ?? context.idea,
    score: criticism?.score ?? null,
    verdict: criticism?.verdict ?? null,
    restartReason: restart?.reason ?? null,
    restartKind: restart?.kind ?? null,
    similar: similar?.length ?? null,
    // Where the iteration was entered before, the synthesis may have been paid for since.
    spent: context.iterations[context.drafts.length - 1]?.spent ?? {
      calls: calls - before.calls,
      tokens: tokens - before.tokens,
      costUsd: costUsd - before.costUsd,
    },
  };
}

/** One that was interrupted before it had a plan is left out, unless it is the only one. */
export function endLastDraft(context: ResearchContext): void {
  const { drafts } = context;
  if (drafts.length > 1 && drafts.at(-1)?.plan === undefined) drafts.pop();
  context.restart = undefined;
  endDraft(context, undefined);
}

/** In bytes, since the result repeats the reasons. */
const maxChars = { reason: 2000, guidance: 20_000 };

/** @param instructions what a person or the critic wants to be changed; without them the guidance is that of the kind */
export const restartFor = (kind: RestartKind, reason: string, instructions?: string): PlanningRestart => ({
  kind,
  reason: cutToBytes(reason, maxChars.reason),
  guidance: cutToBytes(guidanceFor(kind, instructions), maxChars.guidance),
});

/** At the limit, tells a person that the restart is refused. A judge's refused restart shows in the synthesis instead. */
export function refuse({ events }: ResearchContext, { kind, reason }: PlanningRestart): void {
  if (kind === 'person') events.emit({ type: 'restart_refused', by: 'person', reason, isPlanning: true });
}

/** Ends the iteration, and keeps the restart for the planner. */
export function replan(context: ResearchContext, { number }: Draft, restart: PlanningRestart): void {
  const more = context.iterations.some(({ restartKind }) => restartKind === restart.kind);
  context.restart = restart;
  endDraft(context, restart);
  context.events.emit({ type: 'planning_restart', ...restart, from: number, to: number + 1, more });
}

/** Whether the searches of a draft have found anything. Reports of earlier runs alone would confirm themselves. */
export const hasMaterial = ({ found }: Draft): boolean => found?.hits.some(({ hit }) => !isReport(hit)) ?? false;

/**
 * A draft with material beats one without, and a plan about what the user asked for one about something else; then the higher score
 * wins. One without a score, such as that of a plan with much prior art, is below all scores. Of equal drafts the later is better,
 * since it has learnt from the other.
 */
export function isBetterDraft(draft: Draft, best: Draft | undefined): boolean {
  if (draft.plan === undefined) return false;
  if (best === undefined) return true;
  const [own, other] = [rankOf(draft), rankOf(best)];
  const place = own.findIndex((rank, index) => rank !== other[index]);
  return place === -1 || (own[place] ?? 0) > (other[place] ?? 0);
}

const rankOf = (draft: Draft): number[] => [
  draft.found === undefined ? 0 : hasMaterial(draft) ? 2 : 1,
  draft.criticism?.servesGoal === false ? 0 : 1,
  draft.criticism?.score ?? -1,
];

function spentOf({ usage }: ResearchContext): IterationRecord['spent'] {
  const { calls, inputTokens, outputTokens, costUsd } = usage.total;
  return { calls, tokens: inputTokens + outputTokens, costUsd };
}
