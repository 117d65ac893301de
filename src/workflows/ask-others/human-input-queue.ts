import type { HumanReply } from '../../protocol/questions.ts';
import type { HumanAnswer } from '../../protocol/orchestration.ts';

/**
 * The human desk: who may put a question to the person, and whose an answer is. One question waits at a time, in the
 * order of arrival (MassGen's documentation "Agent Communication", Human Q&A Context Injection; docs/asking.md).
 * Every function takes the desk as it is and returns it as it is then, with what has come of it.
 */

/** A call of `ask_others` that is for the person. */
export interface Ask {
  /** Names the call, and the question once it is put to the person. */
  id: string;
  /** The conversation that the result goes to: what it has been shown of the history is known by this name. */
  conversation: string;
  question: string;
}

export interface InputQueue {
  /** Answered questions in the order of their answers; it only grows. */
  history: HumanAnswer[];
  /** Places in `history` that a conversation has been shown, by an answer or a deferral. */
  shown: Record<string, number[]>;
  /** Those who wait for their turn, the first one first. */
  queue: Ask[];
  /** The question that waits for the person. */
  open: Ask | undefined;
  /** Questions by id that were put to the person and are closed without an answer: a late one is theirs. */
  unanswered: Record<string, string>;
  /** An answer that came before anything was asked. */
  kept: string | undefined;
  /** Whether anything has been asked yet. */
  asked: boolean;
}

/** What an asker gets. */
export type AskEnd =
  | { status: 'complete'; answer: string }
  | { status: 'deferred'; history: HumanAnswer[] }
  | { status: 'timeout' }
  | { status: 'skipped' };

export type QueueEvent =
  | { kind: 'prompt'; ask: Ask }
  /** `wasOpen`: it had been put to the person. */
  | { kind: 'end'; ask: Ask; end: AskEnd; wasOpen: boolean }
  | { kind: 'withdrawn'; ask: Ask }
  /** The answer waits for those who ask next. */
  | { kind: 'kept'; questionId?: string; answer: string }
  | { kind: 'ignored'; why: string };

export interface QueueStep {
  desk: InputQueue;
  events: QueueEvent[];
}

export function newQueue(history: HumanAnswer[] = []): InputQueue {
  return {
    history,
    shown: {},
    queue: [],
    open: undefined,
    unanswered: {},
    kept: undefined,
    asked: history.length > 0,
  };
}

export function ask(desk: InputQueue, call: Ask): QueueStep {
  return admit({ ...desk, asked: true, queue: [...desk.queue, call] });
}

/** @param room characters that all answers may have together; see `answerRoom` */
export function answer(desk: InputQueue, { questionId, answer: text }: HumanReply, room: number): QueueStep {
  const { open } = desk;
  if (open !== undefined && (questionId === undefined || questionId === open.id)) {
    if (text.trim() === '') return close(desk, open, { status: 'skipped' });
    if (isTooLong(desk, text, room)) return ignored(desk, tooLong(text, room));
    const recorded = record({ ...desk, open: undefined }, open, text);
    return afterwards(recorded, {
      kind: 'end',
      ask: open,
      end: { status: 'complete', answer: text },
      wasOpen: true,
    });
  }
  if (text.trim() === '') return ignored(desk, 'there is nothing to skip');
  if (isTooLong(desk, text, room)) return ignored(desk, tooLong(text, room));
  return questionId === undefined ? unnamed(desk, text) : late(desk, questionId, text);
}

/** The time of an open question is up. */
export function expire(desk: InputQueue, id: string): QueueStep {
  return desk.open?.id === id ? close(desk, desk.open, { status: 'timeout' }) : { desk, events: [] };
}

/** Its asker does not wait any more. */
export function withdraw(desk: InputQueue, id: string): QueueStep {
  const { open, queue } = desk;
  if (open?.id === id) {
    return afterwards(
      { ...desk, open: undefined, unanswered: { ...desk.unanswered, [id]: open.question } },
      { kind: 'withdrawn', ask: open },
    );
  }
  return { desk: { ...desk, queue: queue.filter((waiting) => waiting.id !== id) }, events: [] };
}

/** Lets those who wait proceed until one of them prompts the person. */
function admit(desk: InputQueue): QueueStep {
  const [first, ...rest] = desk.queue;
  if (desk.open !== undefined || first === undefined) return { desk, events: [] };
  const next: InputQueue = { ...desk, queue: rest };
  if (next.kept !== undefined) {
    const recorded = record({ ...next, kept: undefined }, first, next.kept);
    return afterwards(recorded, {
      kind: 'end',
      ask: first,
      end: { status: 'complete', answer: next.kept },
      wasOpen: false,
    });
  }
  if (isKnown(next, first)) {
    const shown = { ...next.shown, [first.conversation]: next.history.map((_, place) => place) };
    return afterwards(
      { ...next, shown },
      { kind: 'end', ask: first, end: { status: 'deferred', history: next.history }, wasOpen: false },
    );
  }
  return { desk: { ...next, open: first }, events: [{ kind: 'prompt', ask: first }] };
}

function afterwards(desk: InputQueue, event: QueueEvent): QueueStep {
  const step = admit(desk);
  return { desk: step.desk, events: [event, ...step.events] };
}

function close(desk: InputQueue, open: Ask, end: AskEnd): QueueStep {
  const unanswered = { ...desk.unanswered, [open.id]: open.question };
  return afterwards({ ...desk, open: undefined, unanswered }, { kind: 'end', ask: open, end, wasOpen: true });
}

/** The asker is shown its own answer; what others have been told meanwhile it has not seen. */
function record(desk: InputQueue, { conversation, question }: Ask, text: string): InputQueue {
  const seen = desk.shown[conversation] ?? [];
  return {
    ...desk,
    history: [...desk.history, { question, answer: text }],
    shown: { ...desk.shown, [conversation]: [...seen, desk.history.length] },
  };
}

/** Whether the history may hold what is asked: an entry that this conversation was not shown, or the same question. */
function isKnown({ history, shown }: InputQueue, { conversation, question }: Ask): boolean {
  const seen = new Set(shown[conversation]);
  return history.some((entry, place) => !seen.has(place) || isSame(entry.question, question));
}

const plain = (question: string): string => question.trim().replace(/\s+/g, ' ').toLowerCase();
const isSame = (one: string, other: string): boolean => plain(one) === plain(other);

function late(desk: InputQueue, questionId: string, text: string): QueueStep {
  const { [questionId]: question, ...unanswered } = desk.unanswered;
  if (question === undefined) {
    return ignored(desk, `no question ${questionId} waits for an answer`);
  }
  const history = [...desk.history, { question, answer: text }];
  return { desk: { ...desk, history, unanswered }, events: [{ kind: 'kept', questionId, answer: text }] };
}

function unnamed(desk: InputQueue, text: string): QueueStep {
  if (desk.asked) return ignored(desk, 'no question waits, and the answer names none');
  if (desk.kept !== undefined) return ignored(desk, 'an answer is kept for the first question already');
  return { desk: { ...desk, kept: text }, events: [{ kind: 'kept', answer: text }] };
}

function isTooLong({ history, kept = '' }: InputQueue, text: string, room: number): boolean {
  const sum = history.reduce((total, entry) => total + entry.answer.length, 0);
  return sum + kept.length + text.length > room;
}

const tooLong = (text: string, room: number): string =>
  `it has ${text.length} characters, and all answers of a session may have ${room} together`;

function ignored(desk: InputQueue, why: string): QueueStep {
  return { desk, events: [{ kind: 'ignored', why }] };
}
