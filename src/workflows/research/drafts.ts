import type { Iteration as IterationRecord, RestartKind } from '../../protocol/research.ts';
import type { Iteration } from '../runtime/iterate.ts';
import type { Draft, PlanningRestart, ResearchContext } from './context.ts';
import { guidanceFor } from './prompts.ts';

/** Begins the next planning iteration. */
export function beginDraft(context: ResearchContext, iteration: Iteration<PlanningRestart>): Draft {
  const draft: Draft = {
    ...iteration,
    plan: undefined,
    noPlan: undefined,
    approach: '',
    found: undefined,
    criticism: undefined,
    before: spentOf(context),
  };
  context.drafts.push(draft);
  return draft;
}

/**
 * Records the last draft as an iteration that has ended. A second call replaces the record: it comes when a person asks
 * for another iteration after the last one had been accepted.
 *
 * @param restart why another iteration follows; undefined if none does
 */
export function endDraft(context: ResearchContext, restart: PlanningRestart | undefined): void {
  const draft = context.drafts.at(-1);
  if (draft === undefined) return;
  const { calls, tokens, costUsd } = spentOf(context);
  const { before, criticism, found, number, plan } = draft;
  context.iterations[context.drafts.length - 1] = {
    iteration: number,
    idea: plan?.idea ?? context.idea,
    score: criticism?.score ?? null,
    verdict: criticism?.verdict ?? null,
    restartReason: restart?.reason ?? null,
    restartKind: restart?.kind ?? null,
    similar: found?.similar.length ?? 0,
    // Where the iteration was entered before, the synthesis may have been paid for since.
    spent: context.iterations[context.drafts.length - 1]?.spent ?? {
      calls: calls - before.calls,
      tokens: tokens - before.tokens,
      costUsd: costUsd - before.costUsd,
    },
  };
}

/** @param instructions what a person has asked for; without them the planner gets the guidance for this kind of restart */
export const restartFor = (kind: RestartKind, reason: string, instructions?: string): PlanningRestart => ({
  kind,
  reason,
  guidance: guidanceFor(kind, instructions),
});

/** At the limit, tells a person that the restart is refused. A judge's refused restart shows in the synthesis instead. */
export function refuse({ events }: ResearchContext, { kind, reason }: PlanningRestart): void {
  if (kind === 'person') events.emit({ type: 'restart_refused', by: 'person', reason, isPlanning: true });
}

/** Ends the iteration, keeps the restart for the planner, and tells why planning starts again. */
export function replan(context: ResearchContext, { number }: Draft, restart: PlanningRestart): void {
  const more = context.iterations.some(({ restartKind }) => restartKind === restart.kind);
  context.restart = restart;
  endDraft(context, restart);
  context.events.emit({ type: 'planning_restart', ...restart, from: number, to: number + 1, more });
}

/**
 * Whether a draft is better than the best one before it. A draft whose searches are done beats one without; then the
 * higher score wins, and of equal scores the later draft, which has learnt from the other.
 */
export function isBetterDraft(draft: Draft, best: Draft | undefined): boolean {
  if (draft.plan === undefined) return false;
  if (best === undefined) return true;
  const [own, other] = [rankOf(draft), rankOf(best)];
  return own[0] === other[0] ? own[1] >= other[1] : own[0] > other[0];
}

const rankOf = ({ criticism, found }: Draft): [number, number] => [found === undefined ? 0 : 1, criticism?.score ?? -1];

function spentOf({ usage }: ResearchContext): IterationRecord['spent'] {
  const { calls, inputTokens, outputTokens, costUsd } = usage.total;
  return { calls, tokens: inputTokens + outputTokens, costUsd };
}
