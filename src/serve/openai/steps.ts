import type { FinalOutcome, RunEvent } from '../../protocol/events.ts';
import type { PendingQuestion } from '../../protocol/questions.ts';
import type { Figures } from '../../protocol/usage.ts';
import { askedIn, linesOf } from '../waiting.ts';

/** What a run waits for a person with. */
export type Asked = Pick<PendingQuestion, 'kind' | 'questionId' | 'from' | 'question' | 'tool' | 'arguments'>;

/**
 * What an answer tells of a run, one after the other. It ends with the first step that is none of progress and trouble: a
 * question ends it as well as an answer, and what follows is told by the answer to the request that settles it.
 */
export type Step =
  | { type: 'progress'; text: string }
  /** Nothing new is known, and why. It is no part of what the run has done, and is told only while it happens. */
  | { type: 'trouble'; text: string }
  /** `seq`: the event's, where the next part begins. */
  | { type: 'asked'; seq: number; at: string; asked: Asked }
  /** `usage`: that of all agents of the run; null where it is not known yet. */
  | { type: 'answered'; at: string; outcome: FinalOutcome; answer: string; usage: Figures | null }
  /** `status`: the one of HTTP that it is worth. */
  | { type: 'failed'; status: number; message: string };

export const isEnd = ({ type }: Step): boolean => type !== 'progress' && type !== 'trouble';

/** What an event is to whoever follows the run; undefined for nothing. It depends on nothing else, so that any server tells the same. */
export function stepOf(event: RunEvent): Step | undefined {
  const { at, seq } = event;
  const asked = askedIn(event);
  if (asked !== undefined) return { type: 'asked', seq, at, asked };
  if (event.type === 'final')
    return { type: 'answered', at, outcome: event.outcome, answer: event.answer, usage: null };
  // What was asked is known to whoever has asked.
  if (event.type === 'started' || event.type === 'turn') return undefined;
  const text = [...linesOf(event), ...(event.type === 'answer' ? [event.content] : [])].join('\n');
  return text === '' ? undefined : { type: 'progress', text };
}

/** The outcomes of a run that gives the answer which was wanted, rather than the best that there is. */
const good: FinalOutcome[] = ['submitted', 'degraded', 'answered', 'viable', 'complete'];

export function endingOf(outcome: FinalOutcome): 'completed' | 'incomplete' | 'cancelled' {
  if (outcome === 'cancelled') return outcome;
  return good.includes(outcome) ? 'completed' : 'incomplete';
}

/** What all agents of a run have used, under the names that a part of the API has for it. `cost`: US dollars. */
export const usageOf = (figures: Figures, into: 'input' | 'prompt', out: 'output' | 'completion') => ({
  [`${into}_tokens`]: figures.inputTokens,
  [`${into}_tokens_details`]: { cached_tokens: figures.cachedInputTokens, cache_write_tokens: 0 },
  [`${out}_tokens`]: figures.outputTokens,
  [`${out}_tokens_details`]: { reasoning_tokens: 0 },
  total_tokens: figures.inputTokens + figures.outputTokens,
  cost: figures.costUsd,
});
