import { isCancellation, upsertSearchAttributes } from '@temporalio/workflow';
import { Agent } from '../agent/agent.ts';
import { callFailure } from '../agent/failures.ts';
import type { Purpose } from '../agent/model-caller.ts';
import type { Speaker } from '../agent/structured-output.ts';
import type { ResearchSettings } from '../../config/research.ts';
import type { AgentState } from '../../protocol/events.ts';
import type { Text } from '../../protocol/message.ts';
import type { Iteration, Plan, ResearchPhase, ResearchRole, RestartKind } from '../../protocol/research.ts';
import type { Hit, Work } from '../../protocol/search.ts';
import { attemptAttribute } from '../runtime/attributes.ts';
import type { Office } from '../runtime/run-context.ts';

/** Time that each model call has, in milliseconds. */
const callTimeout = 600_000;

/** What stands in the store and is named by all prompts. */
export interface Stored {
  idea: Text;
  tools: Record<ResearchRole, string>;
  duties: Record<ResearchRole, Text>;
}

/** Why the plan is drawn anew, and with what. */
export interface PlanningRestart {
  kind: RestartKind;
  reason: string;
  guidance: string;
}

/** A criticism; a null score: it has none. */
export interface Criticism {
  text: string;
  /** The same, by reference where it is long. */
  content: Text;
  score: number | null;
}

/** The work of one planning iteration, as far as it has come. */
export interface Draft {
  /** From 1. */
  number: number;
  plan: Plan | undefined;
  /** The plan's approach, by reference where it is long. */
  approach: Text;
  /** Undefined until the searches are done. */
  found: Found | undefined;
  criticism: Criticism | undefined;
  verdict: string | null;
  /** What was spent when it began. */
  before: Iteration['spent'];
}

export interface Found {
  /** What each query has found, for models. */
  material: Text[];
  /** The hits of each query, in the order of their marks. */
  hits: Array<{ mark: string; hit: Hit }>;
  /** Searches that failed, in words. */
  gaps: string[];
  similar: Work[];
}

/** All that a research knows while it runs. */
export interface Study extends Office {
  idea: string;
  settings: ResearchSettings;
  stored: Stored;
  /** What came of earlier research on ideas like this one. */
  lessons: Text | undefined;
  planner: Speaker;
  /** The present conversation of each role. */
  conversations: Partial<Record<ResearchRole, Agent>>;
  /** Whether the planner has been told the idea. */
  isIntroduced: boolean;
  drafts: Draft[];
  iterations: Iteration[];
  phase: ResearchPhase;
  states: Record<ResearchRole, AgentState>;
  /** Set from the decision to plan anew until the planner has used it. */
  restart: PlanningRestart | undefined;
  /** What is missing, for the result. */
  gaps: string[];
}

export const present = ({ drafts }: Study): Draft | undefined => drafts.at(-1);

/** Opens the work of the next planning iteration. */
export function beginDraft(study: Study): Draft {
  const draft: Draft = {
    number: study.drafts.length + 1,
    plan: undefined,
    approach: '',
    found: undefined,
    criticism: undefined,
    verdict: null,
    before: spentOf(study),
  };
  study.drafts.push(draft);
  study.events.attempt = draft.number;
  upsertSearchAttributes([{ key: attemptAttribute, value: draft.number }]);
  return draft;
}

/**
 * Enters an iteration that has come to its end; once more where a person then wants another one after all.
 *
 * @param restart why there is another one; undefined: there is none
 */
export function endDraft(study: Study, draft: Draft, restart: PlanningRestart | undefined): void {
  const { calls, tokens, costUsd } = spentOf(study);
  const { before, criticism, found, number, plan, verdict } = draft;
  study.iterations[number - 1] = {
    iteration: number,
    idea: plan?.idea ?? study.idea,
    score: criticism?.score ?? null,
    verdict,
    restartReason: restart?.reason ?? null,
    restartKind: restart?.kind ?? null,
    similar: found?.similar.length ?? 0,
    spent: {
      calls: calls - before.calls,
      tokens: tokens - before.tokens,
      costUsd: costUsd - before.costUsd,
    },
  };
}

function spentOf({ ledger }: Study): Iteration['spent'] {
  const { calls, inputTokens, outputTokens, costUsd } = ledger.usage;
  return { calls, tokens: inputTokens + outputTokens, costUsd };
}

const backendOf = { planner: 'plan', critic: 'criticism', writer: 'synthesize' } as const;

/** Gives a role a fresh conversation. */
export function newSpeaker(
  {
    broadcast,
    caller,
    conversations,
    settings,
    stored,
  }: Pick<Study, 'broadcast' | 'caller' | 'conversations' | 'settings' | 'stored'>,
  role: ResearchRole,
  number: number,
): Speaker {
  const backend = settings.backends[backendOf[role]];
  const opening = { system: stored.duties[role], transcript: null, messages: [] };
  const agent = new Agent({ id: role, text: undefined, backend }, caller, opening);
  conversations[role] = agent;
  return {
    id: role,
    agent,
    conversation: `${role} ${number}`,
    asking: 0,
    tools: stored.tools[role],
    broadcast,
  };
}

/** Has a role do its work, and shows what it is doing meanwhile. */
export async function atWork<T>(
  study: Study,
  role: ResearchRole,
  state: AgentState,
  work: (onAsking: (isAsking: boolean) => void) => Promise<T>,
): Promise<T> {
  const { states } = study;
  states[role] = state;
  try {
    return await work((isAsking) => (states[role] = isAsking ? 'asking' : state));
  } finally {
    states[role] = 'waiting';
  }
}

export function purposeOf(what: Purpose['what'], { number }: Draft): Purpose {
  return { what, when: `iteration ${number}`, timeout: callTimeout };
}

/** What a model's failure says; a spent budget and a cancellation are thrown on. */
export function failureOf(error: unknown, isBudgetSpent: (error: unknown) => boolean): string {
  if (isCancellation(error) || isBudgetSpent(error)) throw error;
  return callFailure(error).reason;
}
