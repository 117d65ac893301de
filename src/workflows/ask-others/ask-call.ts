import type { Text } from '../../protocol/message.ts';
import type { ReplyCall } from '../../protocol/model-call.ts';

/** A call of `ask_others`. `text` names the question in the store when it is not in the asker's last reply. */
export type AskCall = { callId: string } & ({ question: string; text?: Text | undefined } | { error: string });

export function askCallOf(call: ReplyCall): AskCall {
  if ('error' in call) return { callId: call.id, error: call.error };
  return { callId: call.id, question: String(call.input['question']) };
}
