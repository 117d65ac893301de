import type { RunEvent } from '../protocol/events.ts';
import type { PendingQuestion } from '../protocol/questions.ts';

/** What begins to wait for a person with an event; undefined where nothing does. */
export function askedIn(event: RunEvent): PendingQuestion | undefined {
  switch (event.type) {
    case 'question':
    case 'approval_requested':
    case 'key_missing':
    case 'plan_review':
      return event;
    default:
      return undefined;
  }
}

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
