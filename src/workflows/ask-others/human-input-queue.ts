import type { HumanReply } from '../../protocol/questions.ts';
import type { HumanAnswer } from '../../protocol/orchestration.ts';

/**
 * The rules for questions to a person: which question is put to the person next, and which one an answer belongs to. One
 * question waits at a time, and the others queue (MassGen's documentation "Agent Communication", Human Q&A Context
 * Injection; docs/asking.md). Every function takes a state and returns the next one, with the events that follow.
 */

/** A question to the person: a call of `ask_others`, or what a tool needs. */
export interface Ask {
  /** Id of the call, and of its question to the person. */
  id: string;
  /** Name of the asker's conversation. What it has been shown of the history is remembered by this name. */
  conversation: string;
  question: string;
  /** Whether a tool asks, for itself alone: no earlier answer will do, and its answer is not for those who ask later. */
  isForm?: true;
}

export interface HumanInputState {
  /** The answered questions, in the order of the answers. */
  history: HumanAnswer[];
  /** For each conversation, the indices in `history` that it has been shown. */
  shown: Record<string, number[]>;
  /** The calls that wait for their turn, oldest first. */
  queue: Ask[];
  /** The question that waits for the person. */
  open: Ask | undefined;
  /** By id, the questions that were put to the person and closed without an answer. A late answer may still come. */
  unanswered: Record<string, string>;
  /** An answer that came before anything was asked; it goes to the first question. */
  kept: string | undefined;
  /** By id, answers to questions that have yet to be put to the person. */
  early: Record<string, string>;
  /** The highest number in the ids of questions so far; ids count up from `q1`. */
  latest: number;
  /** Whether anything has been asked yet. */
  asked: boolean;
  /** Whether the person has let a question's time run out, and has given no sign since. Nothing is put to them meanwhile. */
  silent: boolean;
}

/** How a call ends for its asker. */
export type AskEnd =
  | { status: 'complete'; answer: string }
  | { status: 'deferred'; history: HumanAnswer[] }
  /** `silent`: the question was not put to the person, who has let an earlier one's time run out. */
  | { status: 'timeout'; silent?: boolean }
  | { status: 'skipped' };

export type HumanInputEvent =
  | { kind: 'prompt'; ask: Ask }
  /** `wasOpen`: the question had been put to the person. */
  | { kind: 'end'; ask: Ask; end: AskEnd; wasOpen: boolean }
  | { kind: 'withdrawn'; ask: Ask }
  /** The answer was not awaited. It is kept for later questions, or for its own where that is still to come. */
  | { kind: 'kept'; questionId?: string; answer: string }
  | { kind: 'ignored'; why: string };

export interface HumanInputStep {
  state: HumanInputState;
  events: HumanInputEvent[];
}

export function newHumanInput(history: HumanAnswer[] = []): HumanInputState {
  const asked = history.length > 0;
  const nothing = { shown: {}, queue: [], open: undefined, unanswered: {}, kept: undefined, early: {}, latest: 0 };
  return { ...nothing, history, asked, silent: false };
}

export function ask(state: HumanInputState, call: Ask): HumanInputStep {
  const latest = Math.max(state.latest, numberOf(call.id));
  return admit({ ...state, latest, asked: true, queue: [...state.queue, call] });
}

/** Of how many questions that are still to come answers are taken. */
export const mostEarly = 10;

/** The number in a question's id; 0 if it has none. */
const numberOf = (id: string): number => Number(/^q([1-9]\d{0,8})$/.exec(id)?.[1] ?? 0);

/**
 * Whether an answer names a question that has yet to be put to the person. It was shown nevertheless where a worker has died:
 * another one answers queries as if it had gone on with what has come since, before Temporal lets it go on.
 */
export function isEarly({ latest, open, queue }: HumanInputState, questionId = ''): boolean {
  const number = numberOf(questionId);
  const isToCome = number > latest && number <= latest + mostEarly;
  return open?.id !== questionId && (isToCome || queue.some(({ id }) => id === questionId));
}

/**
 * Takes an answer.
 *
 * @param room how many characters all answers may have together
 */
export function answer(
  before: HumanInputState,
  { questionId, answer: text }: HumanReply,
  room: number,
): HumanInputStep {
  const state = present(before);
  const { open } = state;
  if (open !== undefined && (questionId === undefined || questionId === open.id)) {
    if (text.trim() === '') return close(state, open, { status: 'skipped' });
    if (isTooLong(state, text, room)) return ignored(state, tooLong(text, room));
    return complete({ ...state, open: undefined }, open, text, true);
  }
  if (text.trim() === '') return ignored(state, 'there is nothing to skip');
  if (isTooLong(state, text, room)) return ignored(state, tooLong(text, room));
  if (questionId === undefined) return unnamed(state, text);
  if (!isEarly(state, questionId)) return late(state, questionId, text);
  if (Object.hasOwn(state.early, questionId)) return ignored(state, `an answer to ${questionId} is kept already`);
  const early = { ...state.early, [questionId]: text };
  return { state: { ...state, early }, events: [{ kind: 'kept', questionId, answer: text }] };
}

/** Notes that the person is there, which any sign of them shows. */
export const present = (state: HumanInputState): HumanInputState => ({ ...state, silent: false });

/** Closes a question whose time is up. Nothing else is put to the person until there is a sign of them. */
export function expire(state: HumanInputState, id: string): HumanInputStep {
  if (state.open?.id !== id) return { state, events: [] };
  return close({ ...state, silent: true }, state.open, { status: 'timeout' });
}

/** Ends a call whose asker does not wait any more. */
export function withdraw(state: HumanInputState, id: string): HumanInputStep {
  const { open, queue } = state;
  if (open?.id === id) return afterwards(withoutAnswer(state, open), { kind: 'withdrawn', ask: open });
  const call = queue.find((waiting) => waiting.id === id);
  const left = { ...state, queue: queue.filter((waiting) => waiting !== call) };
  const { [id]: answered, ...early } = state.early;
  if (call === undefined || call.isForm || answered === undefined) return { state: left, events: [] };
  // As with a late answer, those who ask later have it.
  const history = [...state.history, { question: call.question, answer: answered }];
  return { state: { ...left, early, history }, events: [] };
}

/** Takes calls from the queue until one of them has to be put to the person. */
function admit(state: HumanInputState): HumanInputStep {
  const [first, ...rest] = state.queue;
  if (state.open !== undefined || first === undefined) return { state, events: [] };
  const { [first.id]: answered, ...early } = state.early;
  const next: HumanInputState = { ...state, queue: rest, early };
  if (answered !== undefined) return complete(next, first, answered, false);
  if (next.kept !== undefined && !first.isForm) return complete({ ...next, kept: undefined }, first, next.kept, false);
  if (!first.isForm && isKnown(next, first)) {
    const shown = { ...next.shown, [first.conversation]: next.history.map((_, place) => place) };
    return afterwards(
      { ...next, shown },
      { kind: 'end', ask: first, end: { status: 'deferred', history: next.history }, wasOpen: false },
    );
  }
  if (next.silent) {
    return afterwards(next, { kind: 'end', ask: first, end: { status: 'timeout', silent: true }, wasOpen: false });
  }
  return { state: { ...next, open: first }, events: [{ kind: 'prompt', ask: first }] };
}

function afterwards(state: HumanInputState, event: HumanInputEvent): HumanInputStep {
  const step = admit(state);
  return { state: step.state, events: [event, ...step.events] };
}

function close(state: HumanInputState, open: Ask, end: AskEnd): HumanInputStep {
  return afterwards(withoutAnswer(state, open), { kind: 'end', ask: open, end, wasOpen: true });
}

function withoutAnswer(state: HumanInputState, open: Ask): HumanInputState {
  // A late answer to a tool's question could reach nobody.
  if (open.isForm) return { ...state, open: undefined };
  return { ...state, open: undefined, unanswered: { ...state.unanswered, [open.id]: open.question } };
}

/** Ends a call with its answer. Its conversation has thereby been shown this answer, but no other one. */
function complete(state: HumanInputState, call: Ask, text: string, wasOpen: boolean): HumanInputStep {
  const { conversation, question } = call;
  if (call.isForm)
    return afterwards(state, { kind: 'end', ask: call, end: { status: 'complete', answer: text }, wasOpen });
  const history = [...state.history, { question, answer: text }];
  const seen = [...(state.shown[conversation] ?? []), state.history.length];
  const shown = { ...state.shown, [conversation]: seen };
  const end: AskEnd = { status: 'complete', answer: text };
  return afterwards({ ...state, history, shown }, { kind: 'end', ask: call, end, wasOpen });
}

/** Whether the history may answer a call: it has an entry that the conversation was not shown, or the same question. */
function isKnown({ history, shown }: HumanInputState, { conversation, question }: Ask): boolean {
  const seen = new Set(shown[conversation]);
  return history.some((entry, place) => !seen.has(place) || isSame(entry.question, question));
}

/** A question as it is compared with others. */
export const plain = (question: string): string => question.trim().replace(/\s+/g, ' ').toLowerCase();
const isSame = (one: string, other: string): boolean => plain(one) === plain(other);

function late(state: HumanInputState, questionId: string, text: string): HumanInputStep {
  // It comes from outside, and may be the name of what every object has.
  if (!Object.hasOwn(state.unanswered, questionId)) {
    return ignored(state, noQuestion(questionId));
  }
  const { [questionId]: question = '', ...unanswered } = state.unanswered;
  const history = [...state.history, { question, answer: text }];
  return { state: { ...state, history, unanswered }, events: [{ kind: 'kept', questionId, answer: text }] };
}

export const noQuestion = (id: string): string => `no question ${id.slice(0, 100)} waits for an answer`;

function unnamed(state: HumanInputState, text: string): HumanInputStep {
  if (state.asked) return ignored(state, 'no question waits, and the answer names none');
  if (state.kept !== undefined) return ignored(state, isKept);
  return { state: { ...state, kept: text }, events: [{ kind: 'kept', answer: text }] };
}

function isTooLong({ early, history, kept = '' }: HumanInputState, text: string, room: number): boolean {
  const all = [...history.map((entry) => entry.answer), ...Object.values(early)];
  const sum = all.reduce((total, each) => total + each.length, 0);
  return sum + kept.length + text.length > room;
}

/** Why an answer to a question that nobody has asked yet is ignored, where another one has come before. */
export const isKept = 'an answer is kept for the first question already';

const tooLong = (text: string, room: number): string =>
  `it has ${text.length} characters, and all answers of a session may have ${room} together`;

function ignored(state: HumanInputState, why: string): HumanInputStep {
  return { state, events: [{ kind: 'ignored', why }] };
}
