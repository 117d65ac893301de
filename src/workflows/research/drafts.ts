import type { Iteration as IterationRecord, RestartKind } from '../../protocol/research.ts';
import type { Iteration } from '../runtime/iterate.ts';
import type { Draft, PlanningRestart, ResearchContext } from './context.ts';
import { guidanceFor } from './prompts.ts';

/** Opens the work of the next planning iteration. */
export function beginDraft(context: ResearchContext, iteration: Iteration<PlanningRestart>): Draft {
  const draft: Draft = {
    ...iteration,
    plan: undefined,
    noPlan: undefined,
    approach: '',
    found: undefined,
    criticism: undefined,
    verdict: null,
    before: spentOf(context),
  };
  context.drafts.push(draft);
  return draft;
}

/**
 * Enters the last iteration as one that has come to its end; once more where a person then wants another one after all.
 *
 * @param restart why there is another one; undefined: there is none
 */
export function endDraft(context: ResearchContext, restart: PlanningRestart | undefined): void {
  const draft = context.drafts.at(-1);
  if (draft === undefined) return;
  const { calls, tokens, costUsd } = spentOf(context);
  const { before, criticism, found, number, plan, verdict } = draft;
  context.iterations[context.drafts.length - 1] = {
    iteration: number,
    idea: plan?.idea ?? context.idea,
    score: criticism?.score ?? null,
    verdict,
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

/** @param instructions what a person has asked for; undefined: the guidance is that of the kind */
export const restartFor = (kind: RestartKind, reason: string, instructions?: string): PlanningRestart => ({
  kind,
  reason,
  guidance: guidanceFor(kind, instructions),
});

/** At the limit a person is told so; what the judge wanted is told by the synthesis. */
export function refuse({ events }: ResearchContext, { kind, reason }: PlanningRestart): void {
  if (kind === 'person') events.emit({ type: 'restart_refused', by: 'person', reason, isPlanning: true });
}

/** Goes back to planning, and tells why. */
export function replan(context: ResearchContext, { number }: Draft, restart: PlanningRestart): void {
  const more = context.iterations.some(({ restartKind }) => restartKind === restart.kind);
  context.restart = restart;
  endDraft(context, restart);
  context.events.emit({ type: 'planning_restart', ...restart, from: number, to: number + 1, more });
}

/**
 * Whether a draft is the best so far: one that was searched for before one that was not, then by its score, then the
 * later one, which has learnt from the other.
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
