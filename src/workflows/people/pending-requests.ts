import { CancellationScope, sleep } from '@temporalio/workflow';
import type { RunEventBody } from '../../protocol/events.ts';
import type { HumanReply, PendingQuestion } from '../../protocol/questions.ts';
import { WaitTime } from '../runtime/clock.ts';

type Kind = PendingQuestion['kind'];

export interface RequestOptions<End> {
  /** How long it waits, in milliseconds; without one for as long as the run's budget of time allows. */
  timeout?: number | null | undefined;
  /** It is to close the request, whose time or that of the run's budget is over. */
  onTimeout: () => void;
  opened: (pending: PendingQuestion) => RunEventBody;
  closed?: (end: End) => RunEventBody;
}

export interface PendingRequest<End> {
  pending: PendingQuestion;
  end: Promise<End>;
  /** For what goes on only as long as it waits, whoever has asked for it. */
  scope: CancellationScope;
  /** Ends it; a second time does nothing. */
  close(end: End): void;
}

/** The time of a run's budget. */
interface TimeBudget {
  /** Infinity without one. */
  readonly millisecondsLeft: number;
  timeIsUp(): void;
}

/** Everything in a run that waits for a person, in the order in which it began to wait. */
export class PendingRequests {
  readonly waits = new WaitTime();
  onOpened: (pending: PendingQuestion) => void = () => {};
  /** It ends whatever waits. */
  budget: TimeBudget | undefined;
  readonly #emit: (event: RunEventBody) => void;
  readonly #open = new Set<PendingQuestion>();
  readonly #agents = new Map<string, WaitTime>();
  /** The kinds of which the person has let a time run out, without a sign of them since. */
  readonly #silent = new Set<Kind>();

  constructor(emit: (event: RunEventBody) => void) {
    this.#emit = emit;
  }

  get list(): PendingQuestion[] {
    return [...this.#open];
  }

  /** The time that an agent's calls have waited for keys and approvals. */
  waitsOf(agent: string): WaitTime {
    const waits = this.#agents.get(agent) ?? new WaitTime();
    this.#agents.set(agent, waits);
    return waits;
  }

  /** What an answer is about: what it names, else the question that waits, or if it is empty the first key. */
  meantBy({ answer, questionId }: HumanReply): PendingQuestion | undefined {
    if (questionId !== undefined) return this.list.find((each) => each.questionId === questionId);
    const question = this.list.find(({ kind }) => kind === 'question');
    return question ?? (answer.trim() === '' ? this.list.find(({ kind }) => kind === 'key') : undefined);
  }

  /** Whether the person has let a time run out. Nothing of this kind is put to them meanwhile. */
  isSilent(kind: Kind): boolean {
    return this.#silent.has(kind);
  }

  /** Any sign of a person shows that they are there. */
  personIsThere(): void {
    this.#silent.clear();
  }

  open<End>(
    asked: Omit<PendingQuestion, 'askedAt' | 'expiresAt'>,
    { closed, onTimeout, opened, timeout }: RequestOptions<End>,
  ): PendingRequest<End> {
    const { from, kind, questionId } = asked;
    const now = Date.now();
    const left = this.budget?.millisecondsLeft ?? Infinity;
    const own = timeout ?? Infinity;
    const time = Math.min(own, left);
    const expiresAt = Number.isFinite(time) ? new Date(now + time).toISOString() : null;
    const pending: PendingQuestion = { ...asked, askedAt: new Date(now).toISOString(), expiresAt };
    // Whoever has asked may be cancelled while others still wait, and decides itself what that ends.
    const scope = new CancellationScope({ cancellable: true, parent: new CancellationScope({ cancellable: false }) });
    const end = Promise.withResolvers<End>();
    const close = (value: End): void => {
      if (!this.#open.delete(pending)) return;
      this.waits.end();
      scope.cancel();
      end.resolve(value);
      const event = closed?.(value);
      if (event !== undefined) this.#emit(event);
    };
    this.waits.begin();
    this.#open.add(pending);
    this.#emit(opened(pending));
    this.onOpened(pending);
    const expire = (): void => {
      if (!this.#open.has(pending)) return;
      // This timer and the budget's own may fire in either order.
      if (left < own) this.budget?.timeIsUp();
      this.#silent.add(kind);
      onTimeout();
    };
    if (expiresAt !== null)
      scope.run(() => sleep(time, { summary: `${kind} ${questionId} of ${from}` })).then(expire, () => {});
    return { pending, end: end.promise, scope, close };
  }

  /**
   * Waits for an end. @param withdraw called if whoever waits is cancelled @param agent whose time stands still meanwhile,
   * as that of the run does anyway
   */
  async wait<End>(end: Promise<End>, withdraw: () => void, agent?: string): Promise<End> {
    const waits = agent === undefined ? undefined : this.waitsOf(agent);
    waits?.begin();
    try {
      return await Promise.race([end, CancellationScope.current().cancelRequested]);
    } catch (error) {
      withdraw();
      throw error;
    } finally {
      waits?.end();
    }
  }
}

/** Of how many of the next ids answers are taken. */
const mostEarly = 10;

/**
 * Whether an id is one of the next ones of those that count up. What has yet to be asked was shown nevertheless where a worker
 * has died: another one answers queries as if it had gone on with what has come since, before Temporal lets it go on.
 */
export function isNext(letter: string, id: string, latest: number): boolean {
  const number = id.startsWith(letter) && /^.[1-9]\d{0,8}$/.test(id) ? Number(id.slice(1)) : 0;
  return number > latest && number <= latest + mostEarly;
}
