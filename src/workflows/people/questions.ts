import type { RunEventBody } from '../../protocol/events.ts';
import type { HumanAnswer } from '../../protocol/orchestration.ts';
import { maxAnswerChars, type HumanReply } from '../../protocol/questions.ts';
import { isNext, type PendingRequest, type PendingRequests } from './pending-requests.ts';

/** A question to the person: a call of `ask_others`, or what a tool needs. */
export interface Question {
  /** Ids count up from `q1`. */
  id: string;
  from: string;
  /** Name of the asker's conversation. What it has been shown of the history is remembered by this name. */
  conversation: string;
  question: string;
  /** Whether a tool asks, for itself alone: no earlier answer will do, and its answer is not for those who ask later. */
  isForm?: true;
}

export type AskEnd =
  | { status: 'complete'; answer: string }
  | { status: 'deferred'; history: HumanAnswer[] }
  /** `silent`: the question was not put to the person, who has let an earlier one's time run out. */
  | { status: 'timeout'; silent?: boolean }
  | { status: 'skipped' };

interface Call extends Question {
  settle: (end: AskEnd) => void;
}

/** How the question that waits ends. `withdrawn`: its asker does not wait any more. */
type OpenEnd = Exclude<AskEnd, { status: 'deferred' }> | { status: 'withdrawn' };

export interface QuestionsRecord {
  history: HumanAnswer[];
  /** For each conversation, the indices in `history` that it has been shown. */
  shown: Record<string, number[]>;
  /** By id, the questions that were put to the person and closed without an answer. A late answer may still come. */
  unanswered: Record<string, string>;
  /** By id, answers to questions that have yet to be put to the person; `first` is the id of one that names none. */
  early: Record<string, string>;
  /** The highest number in the ids of questions so far. */
  latest: number;
}

type Requests = Pick<PendingRequests, 'open' | 'wait' | 'isSilent'>;

interface QuestionSettings {
  /** Whether agents ask a person at all. */
  asks: boolean;
  /** How long the person has to answer a question, in milliseconds. */
  timeout: number;
}

/**
 * Questions to the person. One waits at a time, and the others queue (MassGen's documentation "Agent Communication", Human
 * Q&A Context Injection; docs/asking.md).
 */
export class Questions {
  readonly #requests: Requests;
  readonly #emit: (event: RunEventBody) => void;
  readonly #settings: QuestionSettings;
  readonly record: QuestionsRecord;
  #queue: Call[] = [];
  #open: { call: Call; request: PendingRequest<OpenEnd> } | undefined;

  constructor(
    requests: Requests,
    emit: (event: RunEventBody) => void,
    settings: QuestionSettings,
    record: Partial<QuestionsRecord> = {},
  ) {
    this.#requests = requests;
    this.#emit = emit;
    this.#settings = settings;
    this.record = { history: [], shown: {}, unanswered: {}, early: {}, latest: 0, ...record };
  }

  /** Puts a question to the person when its turn comes, and withdraws it when the current scope is cancelled. */
  ask(question: Question): Promise<AskEnd> {
    const end = Promise.withResolvers<AskEnd>();
    this.put({ ...question, settle: end.resolve });
    return this.#requests.wait(end.promise, () => this.withdraw(question.id), question.from);
  }

  put(call: Call): void {
    this.record.latest = Number(call.id.slice(1));
    this.#queue.push(call);
    this.#admit();
  }

  withdraw(id: string): void {
    if (this.#open?.call.id === id) return this.#close({ status: 'withdrawn' });
    const call = this.#queue.find((waiting) => waiting.id === id);
    if (call === undefined) return;
    this.#queue = this.#queue.filter((waiting) => waiting !== call);
    const answered = this.#takeEarly(id);
    // As with a late answer, those who ask later have it.
    if (!call.isForm && answered !== undefined) this.#remember(call.question, answered);
  }

  /** @returns why an answer has no effect; undefined if it has one */
  answer(reply: HumanReply): string | undefined {
    const problem = this.#problemWith(reply);
    if (problem !== undefined) return problem;
    const { answer, questionId } = reply;
    const call = this.#answeredBy(reply);
    if (call !== undefined) {
      if (questionId !== undefined) this.#takeUnanswered(questionId);
      this.#close(answer.trim() === '' ? { status: 'skipped' } : this.#completed(call, answer));
      return undefined;
    }
    if (questionId === undefined || this.#isToCome(questionId)) this.record.early[questionId ?? first] = answer;
    else {
      this.#remember(this.#takeUnanswered(questionId), answer);
    }
    this.#emit({ type: 'answer_kept', ...(questionId !== undefined && { questionId }), answer });
    return undefined;
  }

  /** Why an answer would have no effect. Who is told so at once can answer again later. */
  refusal(reply: HumanReply): string | undefined {
    const { questionId } = reply;
    const isEarly = this.#settings.asks && questionId !== undefined && this.#isToCome(questionId);
    return isEarly ? noQuestion(questionId) : this.#problemWith(reply);
  }

  /** The call whose question waits, if a reply is about it, or answers the same question as it was asked before. */
  #answeredBy({ answer, questionId }: HumanReply): Call | undefined {
    const call = this.#open?.call;
    if (questionId === undefined || questionId === call?.id) return call;
    const { unanswered } = this.record;
    const asked = Object.hasOwn(unanswered, questionId) ? unanswered[questionId] : undefined;
    const isSame = asked !== undefined && call?.isForm !== true && plain(asked) === plain(call?.question ?? '');
    return isSame && answer.trim() !== '' ? call : undefined;
  }

  #problemWith(reply: HumanReply): string | undefined {
    const { answer, questionId } = reply;
    const { early, history, latest, unanswered } = this.record;
    if (!this.#settings.asks) return 'nobody asks a person in this run';
    const isOpen = this.#answeredBy(reply) !== undefined;
    if (answer.trim() === '') return isOpen ? undefined : 'there is nothing to skip';
    const all = [answer, ...history.map((entry) => entry.answer), ...Object.values(early)];
    if (all.reduce((sum, { length }) => sum + length, 0) > maxAnswerChars)
      return `it has ${answer.length} characters, and all answers of a session may have ${maxAnswerChars} together`;
    if (isOpen) return undefined;
    if (questionId === undefined) {
      if (latest > 0 || history.length > 0) return 'no question waits, and the answer names none';
      return Object.hasOwn(early, first) ? isKept : undefined;
    }
    // It comes from outside, and may be the name of what every object has.
    if (Object.hasOwn(early, questionId)) return `an answer to ${questionId} is kept already`;
    if (this.#isToCome(questionId) || Object.hasOwn(unanswered, questionId)) return undefined;
    return noQuestion(questionId);
  }

  #isToCome(id: string): boolean {
    return isNext('q', id, this.record.latest) || this.#queue.some((call) => call.id === id);
  }

  /** Takes calls from the queue until one of them has to be put to the person. */
  #admit(): void {
    while (this.#open === undefined) {
      const call = this.#queue.shift();
      if (call === undefined) return;
      const own = this.#takeEarly(call.id);
      // One that names no question is about the first one, also where that has another: then those who ask later have it.
      const unnamed = call.isForm ? undefined : this.#takeEarly(first);
      if (own !== undefined && unnamed !== undefined) this.#remember(call.question, unnamed);
      const early = own ?? unnamed;
      if (early !== undefined) call.settle(this.#completed(call, early));
      else if (!call.isForm && this.#isKnown(call)) {
        const { history, shown } = this.record;
        this.record.shown = { ...shown, [call.conversation]: history.map((_, place) => place) };
        call.settle({ status: 'deferred', history });
      } else if (this.#requests.isSilent('question')) call.settle({ status: 'timeout', silent: true });
      else this.#prompt(call);
    }
  }

  #prompt(call: Call): void {
    const { from, id: questionId, question } = call;
    const request = this.#requests.open<OpenEnd>(
      { kind: 'question', questionId, from, question },
      {
        timeout: this.#settings.timeout,
        onTimeout: () => this.#close({ status: 'timeout' }),
        opened: (pending) => ({ type: 'question', ...pending }),
        closed: (end) =>
          end.status === 'complete'
            ? { type: 'question_closed', questionId, how: 'answered', answer: end.answer }
            : { type: 'question_closed', questionId, how: end.status },
      },
    );
    this.#open = { call, request };
  }

  #close(end: OpenEnd): void {
    if (this.#open === undefined) return;
    const { call, request } = this.#open;
    this.#open = undefined;
    // A late answer to a tool's question could reach nobody.
    if (end.status !== 'complete' && !call.isForm)
      this.record.unanswered = { ...this.record.unanswered, [call.id]: call.question };
    request.close(end);
    if (end.status !== 'withdrawn') call.settle(end);
    this.#admit();
  }

  /** The end of a call with its answer. Its conversation has thereby been shown this answer, but no other one. */
  #completed({ conversation, isForm, question }: Call, answer: string): { status: 'complete'; answer: string } {
    if (!isForm) {
      const { history, shown } = this.record;
      this.record.shown = { ...shown, [conversation]: [...(shown[conversation] ?? []), history.length] };
      this.#remember(question, answer);
    }
    return { status: 'complete', answer };
  }

  /** What was answered is never changed in place: who has been shown it holds on to it. */
  #remember(question: string, answer: string): void {
    this.record.history = [...this.record.history, { question, answer }];
  }

  #takeUnanswered(id: string): string {
    const { [id]: question = '', ...others } = this.record.unanswered;
    this.record.unanswered = others;
    return question;
  }

  #takeEarly(id: string): string | undefined {
    const { [id]: answered, ...others } = this.record.early;
    this.record.early = others;
    return answered;
  }

  /** Whether the history may answer a call: it has an entry that the conversation was not shown, or the same question. */
  #isKnown({ conversation, question }: Question): boolean {
    const { history, shown } = this.record;
    const seen = new Set(shown[conversation]);
    return history.some((entry, place) => !seen.has(place) || plain(entry.question) === plain(question));
  }
}

const first = 'first';

export const plain = (question: string): string => question.trim().replace(/\s+/g, ' ').toLowerCase();

const noQuestion = (id: string): string => `no question ${id.slice(0, 100)} waits for an answer`;

/** Why an answer to a question that nobody has asked yet is ignored, where another one has come before. */
export const isKept = 'an answer is kept for the first question already';
