import { Message } from '@a2a-js/sdk';
import type { RunEvent } from '../../protocol/events.ts';
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

/** What waits for a person after an event. */
export function waitingAfter(waiting: readonly PendingQuestion[], event: RunEvent): readonly PendingQuestion[] {
  switch (event.type) {
    case 'question':
    case 'approval_requested':
    case 'key_missing':
    case 'plan_review':
      return [...waiting, event];
    case 'question_closed':
    case 'approval_resolved':
    case 'key_closed':
      return waiting.filter(({ questionId }) => questionId !== event.questionId);
    // While a plan is reviewed nothing else goes on, and its review ends by what a person has decided.
    case 'decided':
    case 'planning_restart':
    case 'stopped':
      return [];
    default:
      return waiting;
  }
}

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
