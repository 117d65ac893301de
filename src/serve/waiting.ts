import type { RunEvent } from '../protocol/events.ts';
import type { PendingQuestion } from '../protocol/questions.ts';
import { entriesOf, withoutEmoji } from '../workflows/log-lines.ts';

/** What the log of a run says of an event, without its signs; nothing for what it leaves out. */
export const linesOf = (event: RunEvent): string[] =>
  entriesOf(event).flatMap(({ text }) => (text.trim() === '' ? [] : [withoutEmoji(text.trim()).trim()]));

/** What begins to wait for a person with an event; undefined where nothing does. */
export const askedIn = (event: RunEvent): PendingQuestion | undefined =>
  event.type === 'question' ||
  event.type === 'approval_requested' ||
  event.type === 'key_missing' ||
  event.type === 'plan_review'
    ? event
    : undefined;

/** What waits for a person after an event: the same array where the event changes nothing. */
export function waitingAfter(waiting: readonly PendingQuestion[], event: RunEvent): readonly PendingQuestion[] {
  const asked = askedIn(event);
  if (asked !== undefined) return [...waiting, asked];
  const left = waiting.filter((each) => !isOver(each, event));
  return left.length === waiting.length ? waiting : left;
}

function isOver({ kind, questionId }: PendingQuestion, event: RunEvent): boolean {
  switch (event.type) {
    case 'question_closed':
    case 'approval_resolved':
    case 'key_closed':
      return questionId === event.questionId;
    // The review of a plan ends by what a person has decided, or by its time.
    case 'decided':
    case 'planning_restart':
    case 'synthesis':
      return kind === 'approval';
    case 'turn':
    case 'turn_failed':
    case 'stopped':
    case 'final':
      return true;
    default:
      return false;
  }
}
