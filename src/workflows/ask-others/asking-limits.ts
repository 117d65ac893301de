import { plain } from '../people/questions.ts';
import { askRefusals, type AskingMode } from './prompts.ts';

/** Where an agent stands with its questions. */
interface Questions {
  /** How many are under way. */
  asking: number;
  /** All that it has called for, refused ones included, as `plain` makes them. */
  asked: string[];
  /** How many other agents there are to ask. */
  others: number;
}

interface AskingLimits {
  mode: AskingMode;
  /** How many questions may be under way at once. */
  limit: number;
}

/**
 * Why a question is not put to anybody, in words. An agent may call twice as often as it may have questions under way, and
 * not for the same question again; a person may be asked again, since the question may have been deferred.
 */
export function askRefusal(
  { asked, asking, others }: Questions,
  question: string,
  { limit, mode }: AskingLimits,
): string | undefined {
  if (question.trim() === '') return askRefusals.empty;
  if (asking >= limit) return askRefusals.tooMany(limit);
  if (mode === 'agents' && others === 0) return askRefusals.nobody;
  if (asked.length >= 2 * limit) return askRefusals.noMore(2 * limit);
  return mode === 'agents' && asked.includes(plain(question)) ? askRefusals.again : undefined;
}
