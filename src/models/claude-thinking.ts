import type Anthropic from '@anthropic-ai/sdk';
import { byName } from '../config/models/model-capabilities.ts';
import type { Effort } from '../protocol/settings.ts';

interface ThinkingModel {
  /** `adaptive`: the model decides how much, led by an effort. `budget`: it is given a number of tokens. */
  kind: 'adaptive' | 'budget';
  unasked: boolean;
  /** What it is told to think as little as it can. Absent: only a low effort lessens it. */
  off?: 'disabled' | 'between_tools';
  /** A thought is valid only behind the very conversation in which it was made ("preserved thinking"). */
  isBound: boolean;
}

const budget: ThinkingModel = { kind: 'budget', unasked: false, isBound: false };
const onRequest: ThinkingModel = { kind: 'adaptive', unasked: false, isBound: false };
const byDefault: ThinkingModel = { kind: 'adaptive', unasked: true, off: 'disabled', isBound: false };
const bound: ThinkingModel = { kind: 'adaptive', unasked: true, isBound: true };

/**
 * By the beginning of a model's name, the longest of which counts; the last entries stand for later models. Sources:
 * https://platform.claude.com/docs/en/build-with-claude/thinking, …/preserved-thinking/prefix-checks, and the migration
 * guides of the 5.5 models (`between_tools`, what cannot be disabled).
 */
const models: Record<string, ThinkingModel> = {
  'claude-3-7': budget,
  'claude-opus-4': budget,
  'claude-sonnet-4': budget,
  'claude-haiku-4': budget,
  'claude-opus-4-6': onRequest,
  'claude-sonnet-4-6': onRequest,
  'claude-opus-4-7': onRequest,
  'claude-opus-4-8': onRequest,
  'claude-opus-5': byDefault,
  'claude-sonnet-5': byDefault,
  'claude-fable-5': { ...bound, isBound: false },
  'claude-mythos-5': { ...bound, isBound: false },
  'claude-sonnet-5-5': { ...bound, off: 'between_tools' },
  'claude-haiku-5-5': { ...bound, off: 'disabled' },
  'claude-opus-5-5': bound,
  'claude-fable-5-1': bound,
  'claude-fable-5-2': bound,
  'claude-mythos-5-1': bound,
  'claude-mythos-5-2': bound,
  'claude-opus': bound,
  'claude-sonnet': bound,
  'claude-haiku': bound,
  'claude-fable': bound,
  'claude-mythos': bound,
};

/** Undefined for a model that cannot think or has a name of its server's own. */
const thinkingOf = byName(models);

/** In tokens, for models that are given a number. The least that the API takes is 1,024. */
const budgets: Record<Exclude<Effort, 'none'>, number> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
};

/** The header without which `block_binding` is refused as an unknown parameter (Wei-Shaw/sub2api#6677). */
export const bindingBeta = 'thinking-binding-controls-2026-08-01';

/** Thinking that is bound to an earlier form of the conversation is lost rather than the call. */
const dropStale = { block_binding: { prefix_mismatch_behavior: 'drop_block' as const } };

export const isUnasked = (model: string): boolean => thinkingOf(model)?.unasked === true;

/**
 * Undefined leaves it to the API. Thoughts are asked for in summary, since a model that thinks for minutes in silence
 * cannot be told from one that hangs.
 * @param outputTokens the model's longest reply, of which thoughts may have half
 */
export function thinkingParameter(
  model: string,
  effort: Effort | undefined,
  outputTokens: number,
): Anthropic.Beta.BetaThinkingConfigParam | undefined {
  const how = thinkingOf(model);
  if (how === undefined) return undefined;
  if (effort === 'none' && how.off !== undefined) return { type: how.off };
  if (how.unasked) return { type: 'adaptive', display: 'summarized', ...(how.isBound && dropStale) };
  if (effort === undefined || effort === 'none') return undefined;
  if (how.kind === 'adaptive') return { type: 'adaptive', display: 'summarized' };
  return { type: 'enabled', budget_tokens: Math.min(budgets[effort], outputTokens / 2) };
}

/** The effort by Anthropic's names (https://platform.claude.com/docs/en/build-with-claude/effort), the lowest for none. */
export const effortParameter = (effort: Effort | undefined): 'low' | 'medium' | 'high' | 'xhigh' | undefined =>
  effort === 'none' || effort === 'minimal' ? 'low' : effort;
