import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';
import type { WaitTime } from '../runtime/clock.ts';
import { answerRoom, type HumanReply, type PendingQuestion } from '../../protocol/questions.ts';
import type { QuestionEnd, RunEventBody } from '../../protocol/events.ts';
import type { HumanAnswer } from '../../protocol/orchestration.ts';
import {
  answer,
  ask,
  expire,
  isEarly,
  newHumanInput,
  noQuestion,
  present,
  withdraw,
  type Ask,
  type AskEnd,
  type HumanInputState,
  type HumanInputEvent,
  type HumanInputStep,
} from './human-input-queue.ts';

interface Waiting {
  /** Configured id of the agent that asks. */
  from: string;
  settle(end: AskEnd): void;
}

interface Prompted extends PendingQuestion {
  expiresAt: string;
  timer: CancellationScope;
}

/** What the next run of a session takes over from this one. */
export type HumanInputRecord = Partial<
  Pick<HumanInputState, 'history' | 'shown' | 'unanswered' | 'kept' | 'early' | 'latest' | 'asked' | 'silent'>
>;

/**
 * Questions to the person, under the rules of human-input-queue.ts: agents wait here for their answers, and a timer closes
 * a question that gets none.
 */
export class HumanInput {
  readonly #emit: (event: RunEventBody) => void;
  readonly #timeout: number;
  readonly #waits: WaitTime;
  readonly #waiting = new Map<string, Waiting>();
  #state: HumanInputState;
  #prompted: Prompted | undefined;

  /**
   * @param timeout how long the person has to answer a question, in milliseconds
   * @param waits is told while a question waits
   */
  constructor(record: HumanInputRecord, timeout: number, waits: WaitTime, emit: (event: RunEventBody) => void) {
    this.#state = { ...newHumanInput(record.history), ...record };
    this.#timeout = timeout;
    this.#waits = waits;
    this.#emit = emit;
  }

  get history(): HumanAnswer[] {
    return this.#state.history;
  }

  get record(): HumanInputRecord {
    const { queue: _, open: __, ...record } = this.#state;
    return record;
  }

  /** The question that waits for the person, if there is one. */
  get pending(): Array<Omit<Prompted, 'timer'>> {
    if (this.#prompted === undefined) return [];
    const { timer: _, ...question } = this.#prompted;
    return [question];
  }

  /** Puts a question to the person when its turn comes, and withdraws it when the current scope is cancelled. */
  async ask({ from, ...call }: Ask & Pick<Waiting, 'from'>): Promise<AskEnd> {
    const end = new Promise<AskEnd>((settle) => this.#waiting.set(call.id, { from, settle }));
    this.#take(ask(this.#state, call));
    try {
      return await Promise.race([end, CancellationScope.current().cancelRequested]);
    } catch (error) {
      if (isCancellation(error)) this.#take(withdraw(this.#state, call.id));
      throw error;
    } finally {
      this.#waiting.delete(call.id);
    }
  }

  /** Notes that the person is there, so that questions are put to them again. */
  personIsThere(): void {
    this.#state = present(this.#state);
  }

  /** Takes an answer. @returns why it has no effect; undefined if it has one */
  answer(reply: HumanReply): string | undefined {
    const step = answer(this.#state, reply, answerRoom);
    this.#take(step);
    return reasonIn(step);
  }

  /** Why an answer would have no effect; undefined if it would have one. Who is told so at once can answer again later. */
  refusal(reply: HumanReply): string | undefined {
    const { questionId } = reply;
    if (questionId !== undefined && isEarly(this.#state, questionId)) return noQuestion(questionId);
    return reasonIn(answer(this.#state, reply, answerRoom));
  }

  #take({ state, events }: HumanInputStep): void {
    this.#state = state;
    for (const event of events) this.#follow(event);
  }

  #follow(event: HumanInputEvent): void {
    switch (event.kind) {
      case 'prompt':
        return this.#prompt(event.ask);
      case 'end': {
        const { ask: call, end, wasOpen } = event;
        if (wasOpen && end.status === 'complete') this.#close(call.id, 'answered', end.answer);
        else if (wasOpen && end.status !== 'complete' && end.status !== 'deferred') this.#close(call.id, end.status);
        return this.#waiting.get(call.id)?.settle(end);
      }
      case 'withdrawn':
        return this.#close(event.ask.id, 'withdrawn');
      case 'kept':
        return this.#emit({ ...event, type: 'answer_kept' });
      case 'ignored':
        return;
    }
  }

  #prompt({ id, question }: Ask): void {
    const from = this.#waiting.get(id)?.from ?? '';
    const now = Date.now();
    // The rules decide when a question ends. The timer therefore must not end with the scope of whoever prompts it.
    const timer = new CancellationScope({ cancellable: true, parent: new CancellationScope({ cancellable: false }) });
    this.#waits.begin();
    this.#prompted = {
      kind: 'question',
      questionId: id,
      from,
      question,
      askedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + this.#timeout).toISOString(),
      timer,
    };
    timer
      .run(() => sleep(this.#timeout, { summary: `question ${id} of ${from}` }))
      .then(
        () => this.#take(expire(this.#state, id)),
        () => {},
      );
    const [pending] = this.pending;
    if (pending !== undefined) this.#emit({ type: 'question', ...pending });
  }

  #close(questionId: string, how: QuestionEnd, text?: string): void {
    this.#waits.end();
    this.#prompted?.timer.cancel();
    this.#prompted = undefined;
    this.#emit({ type: 'question_closed', questionId, how, ...(text !== undefined && { answer: text }) });
  }
}

/** Why a step ignores its answer. */
const reasonIn = ({ events }: HumanInputStep): string | undefined =>
  events.find((event) => event.kind === 'ignored')?.why;
