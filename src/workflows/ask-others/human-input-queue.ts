import type { HumanReply } from '../../protocol/questions.ts';
import type { HumanAnswer } from '../../protocol/orchestration.ts';

/**
 * What waits for a person: who may put a question to the person, and whose an answer is. One question waits at a time, in the
 * order of arrival (MassGen's documentation "Agent Communication", Human Q&A Context Injection; docs/asking.md).
 * Every function takes the state as it is and returns it as it is then, with what has come of it.
 */

/** A call of `ask_others` that is for the person. */
export interface Ask {
  /** Names the call, and the question once it is put to the person. */
  id: string;
  /** The conversation that the result goes to: what it has been shown of the history is known by this name. */
  conversation: string;
  question: string;
}

export interface HumanInputState {
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

export type HumanInputEvent =
  | { kind: 'prompt'; ask: Ask }
  /** `wasOpen`: it had been put to the person. */
  | { kind: 'end'; ask: Ask; end: AskEnd; wasOpen: boolean }
  | { kind: 'withdrawn'; ask: Ask }
  /** The answer waits for those who ask next. */
  | { kind: 'kept'; questionId?: string; answer: string }
  | { kind: 'ignored'; why: string };

export interface HumanInputStep {
  state: HumanInputState;
  events: HumanInputEvent[];
}

export function newHumanInput(history: HumanAnswer[] = []): HumanInputState {
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

export function ask(state: HumanInputState, call: Ask): HumanInputStep {
  return admit({ ...state, asked: true, queue: [...state.queue, call] });
}

/** @param room characters that all answers may have together; see `answerRoom` */
export function answer(state: HumanInputState, { questionId, answer: text }: HumanReply, room: number): HumanInputStep {
  const { open } = state;
  if (open !== undefined && (questionId === undefined || questionId === open.id)) {
    if (text.trim() === '') return close(state, open, { status: 'skipped' });
    if (isTooLong(state, text, room)) return ignored(state, tooLong(text, room));
    const recorded = record({ ...state, open: undefined }, open, text);
    return afterwards(recorded, {
      kind: 'end',
      ask: open,
      end: { status: 'complete', answer: text },
      wasOpen: true,
    });
  }
  if (text.trim() === '') return ignored(state, 'there is nothing to skip');
  if (isTooLong(state, text, room)) return ignored(state, tooLong(text, room));
  return questionId === undefined ? unnamed(state, text) : late(state, questionId, text);
}

/** The time of an open question is up. */
export function expire(state: HumanInputState, id: string): HumanInputStep {
  return state.open?.id === id ? close(state, state.open, { status: 'timeout' }) : { state, events: [] };
}

/** Its asker does not wait any more. */
export function withdraw(state: HumanInputState, id: string): HumanInputStep {
  const { open, queue } = state;
  if (open?.id === id) {
    return afterwards(
      { ...state, open: undefined, unanswered: { ...state.unanswered, [id]: open.question } },
      { kind: 'withdrawn', ask: open },
    );
  }
  return { state: { ...state, queue: queue.filter((waiting) => waiting.id !== id) }, events: [] };
}

/** Lets those who wait proceed until one of them prompts the person. */
function admit(state: HumanInputState): HumanInputStep {
  const [first, ...rest] = state.queue;
  if (state.open !== undefined || first === undefined) return { state, events: [] };
  const next: HumanInputState = { ...state, queue: rest };
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
  return { state: { ...next, open: first }, events: [{ kind: 'prompt', ask: first }] };
}

function afterwards(state: HumanInputState, event: HumanInputEvent): HumanInputStep {
  const step = admit(state);
  return { state: step.state, events: [event, ...step.events] };
}

function close(state: HumanInputState, open: Ask, end: AskEnd): HumanInputStep {
  const unanswered = { ...state.unanswered, [open.id]: open.question };
  return afterwards({ ...state, open: undefined, unanswered }, { kind: 'end', ask: open, end, wasOpen: true });
}

/** The asker is shown its own answer; what others have been told meanwhile it has not seen. */
function record(state: HumanInputState, { conversation, question }: Ask, text: string): HumanInputState {
  const seen = state.shown[conversation] ?? [];
  return {
    ...state,
    history: [...state.history, { question, answer: text }],
    shown: { ...state.shown, [conversation]: [...seen, state.history.length] },
  };
}

/** Whether the history may hold what is asked: an entry that this conversation was not shown, or the same question. */
function isKnown({ history, shown }: HumanInputState, { conversation, question }: Ask): boolean {
  const seen = new Set(shown[conversation]);
  return history.some((entry, place) => !seen.has(place) || isSame(entry.question, question));
}

const plain = (question: string): string => question.trim().replace(/\s+/g, ' ').toLowerCase();
const isSame = (one: string, other: string): boolean => plain(one) === plain(other);

function late(state: HumanInputState, questionId: string, text: string): HumanInputStep {
  const { [questionId]: question, ...unanswered } = state.unanswered;
  if (question === undefined) {
    return ignored(state, `no question ${questionId} waits for an answer`);
  }
  const history = [...state.history, { question, answer: text }];
  return { state: { ...state, history, unanswered }, events: [{ kind: 'kept', questionId, answer: text }] };
}

function unnamed(state: HumanInputState, text: string): HumanInputStep {
  if (state.asked) return ignored(state, 'no question waits, and the answer names none');
  if (state.kept !== undefined) return ignored(state, 'an answer is kept for the first question already');
  return { state: { ...state, kept: text }, events: [{ kind: 'kept', answer: text }] };
}

function isTooLong({ history, kept = '' }: HumanInputState, text: string, room: number): boolean {
  const sum = history.reduce((total, entry) => total + entry.answer.length, 0);
  return sum + kept.length + text.length > room;
}

const tooLong = (text: string, room: number): string =>
  `it has ${text.length} characters, and all answers of a session may have ${room} together`;

function ignored(state: HumanInputState, why: string): HumanInputStep {
  return { state, events: [{ kind: 'ignored', why }] };
}
