import { Message } from '@a2a-js/sdk';
import { askedText, type PendingQuestion } from '../../protocol/questions.ts';

/** Where a message belongs. `number` tells it from others of its task. */
export interface Place {
  taskId: string;
  contextId: string;
  number: number;
}

type Parts = Array<{ text: string } | { data: unknown }>;

export const messageOf = (who: 'USER' | 'AGENT', { number, ...place }: Place, parts: Parts): Message =>
  Message.fromJSON({ ...place, messageId: `${place.taskId}-${who}-${number}`, role: `ROLE_${who}`, parts });

/** How each kind of thing that waits is answered. */
const ways: Record<PendingQuestion['kind'], string> = {
  question: 'Answer by a text, or by the data {"questionId", "answer"}; an empty answer skips it.',
  tool: 'Answer by yes, always, or no with a reason; or by the data {"id", "action": "allow" | "deny" | "edit", "arguments"?, "reason"?, "always"?}.',
  approval:
    'Answer by accept or stop; or by the data {"id", "action": "accept" | "stop" | "restart", "note"?, "reason"?, "instructions"?}.',
  key: 'It goes on once a worker has it; the data {"questionId", "answer": ""} goes on without it.',
};

/** What waits, in words and as data. */
export const askedParts = (waiting: readonly PendingQuestion[]): Parts => [
  ...waiting.map((each) => ({ text: `${each.from}: ${askedText(each)}\n(${each.questionId}: ${ways[each.kind]})` })),
  { data: { waits: waiting } },
];
