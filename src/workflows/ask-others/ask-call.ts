import type { Text } from '../../protocol/message.ts';
import type { ReplyCall } from '../../protocol/model-call.ts';
import { plain } from '../people/questions.ts';
import { askRefusals, type AskingMode } from './prompts.ts';

/** A call of `ask_others`. `text` names the question in the store when it is not in the asker's last reply. */
export type AskCall = { callId: string } & ({ question: string; text?: Text | undefined } | { error: string });

export function askCallOf(call: ReplyCall): AskCall {
  if ('error' in call) return { callId: call.id, error: call.error };
  return { callId: call.id, question: String(call.input['question']) };
}

/**
 * Why a question is not put to anybody, in words. An agent may call twice as often as it may have questions under way, and
 * not for the same question again; a person may be asked again, since the question may have been deferred.
 *
 * @param asker `asking`: how many of its questions are under way; `asked`: all that it has called for, refused ones
 *   included, as `plain` makes them; `others`: how many other agents there are to ask
 */
export function askRefusal(
  { asked, asking, others }: { asked: string[]; asking: number; others: number },
  question: string,
  { limit, mode }: { limit: number; mode: AskingMode },
): string | undefined {
  if (question.trim() === '') return askRefusals.empty;
  if (asking >= limit) return askRefusals.tooMany(limit);
  if (mode === 'agents' && others === 0) return askRefusals.nobody;
  if (asked.length >= 2 * limit) return askRefusals.noMore(2 * limit);
  return mode === 'agents' && asked.includes(plain(question)) ? askRefusals.again : undefined;
}
