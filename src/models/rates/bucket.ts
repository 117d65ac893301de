import { setTimeout as pause } from 'node:timers/promises';
import type { Priority } from '@temporalio/common';
import type { SharedRates } from '../../store/store.ts';
import type { Limit } from './settings.ts';

export interface Waiting {
  /** Smaller ones go first; 3 when absent, as in Temporal. */
  priority: Priority | undefined;
}

const defaultPriority = 3;

/** By `priorityKey`; of the same, each `fairnessKey` gets a share by its `fairnessWeight`, in the order of coming. */
export class FairQueue<T extends Waiting> {
  #waiting: T[] = [];
  /** How much each key has had, divided by its weight. */
  readonly #served = new Map<string, number>();
  /** What the key that came last had then. A key that was away does not catch up on what it did not ask for. */
  #now = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(one: T): void {
    this.#waiting.push(one);
  }

  remove(one: T): void {
    this.#waiting = this.#waiting.filter((each) => each !== one);
    if (this.isEmpty) this.#served.clear();
  }

  next(): T | undefined {
    const [first, ...others] = this.#waiting;
    if (first === undefined) return undefined;
    const taken = others.reduce((best, each) => (this.#isBefore(each, best) ? each : best), first);
    this.#now = this.#servedOf(taken);
    const weight = taken.priority?.fairnessWeight || 1;
    this.#served.set(keyOf(taken), this.#now + 1 / weight);
    this.remove(taken);
    return taken;
  }

  #isBefore(one: T, other: T): boolean {
    const [level, otherLevel] = [levelOf(one), levelOf(other)];
    return level === otherLevel ? this.#servedOf(one) < this.#servedOf(other) : level < otherLevel;
  }

  #servedOf = (one: T): number => Math.max(this.#served.get(keyOf(one)) ?? 0, this.#now);
}

const keyOf = ({ priority }: Waiting): string => priority?.fairnessKey ?? '';
const levelOf = ({ priority }: Waiting): number => priority?.priorityKey || defaultPriority;

interface Call extends Waiting {
  cost: number;
  begin: () => void;
  fail: (reason: unknown) => void;
}

/** In milliseconds, so that a quick limit is not a write for each call. */
const aheadMs = 200;

/** Of a period's amount, at once after a rest. The rest is spread evenly. */
const burstShare = 0.1;

/** In milliseconds, or two periods: what was taken before keeps nobody waiting for longer. */
const maxWaitMs = 300_000;

/**
 * The limits of one key or host. The store has one number for each: until when all that was taken is paid off. A worker
 * takes places only for those whose turn comes next, so that who comes later waits for no long row of others' calls.
 */
export class Bucket {
  readonly #rates: SharedRates;
  readonly #limits: Array<ReturnType<typeof shared>>;
  readonly #queue = new FairQueue<Call>();
  #isServing = false;

  /** @param id does not tell the key */
  constructor(rates: SharedRates, id: string, limits: Limit[]) {
    this.#rates = rates;
    this.#limits = limits.map((limit) => shared(id, limit));
  }

  /** @param tokens by an estimate @throws the signal's reason */
  async take(tokens: number, priority: Priority | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, reject, resolve } = Promise.withResolvers<void>();
    const call: Call = { cost: tokens, priority, begin: resolve, fail: reject };
    const leave = (): void => {
      this.#queue.remove(call);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', leave, { once: true });
    this.#queue.add(call);
    if (!this.#isServing) void this.#serve();
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** @param tokens taken beyond the estimate */
  correct(tokens: number): void {
    for (const limit of this.#limits) if (limit.of === 'tokens') limit.debt += tokens;
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    const most = Math.max(1, ...this.#limits.map(({ of, unitMs }) => (of === 'requests' ? aheadMs / unitMs : 1)));
    while (!this.#queue.isEmpty) {
      const calls: Call[] = [];
      while (calls.length < Math.floor(most) && !this.#queue.isEmpty) calls.push(this.#queue.next()!);
      try {
        const waits = await this.#places(calls.map(({ cost }) => cost));
        let waited = 0;
        for (const [index, call] of calls.entries()) {
          const wait = Math.max(0, (waits[index] ?? 0) - waited);
          // Even a call that was cancelled meanwhile keeps its place, since the next ones come after it.
          if (wait > 0) await pause(wait);
          waited += wait;
          call.begin();
        }
      } catch (error) {
        for (const call of calls) call.fail(error);
      }
    }
    this.#isServing = false;
  }

  /** @returns after how many milliseconds each call may begin, one after the other */
  async #places(costs: number[]): Promise<number[]> {
    const ofLimits = await Promise.all(
      this.#limits.map(async (limit) => {
        const units = costs.map((tokens) => (limit.of === 'tokens' ? tokens : 1));
        const debt = limit.debt;
        limit.debt = 0;
        const all = units.reduce((sum, each) => sum + each, debt);
        const until = await this.#rates.take(limit.id, all * limit.unitMs, limit.longestMs);
        let ahead = until + debt * limit.unitMs;
        return units.map((each) => {
          const wait = ahead - limit.burstMs;
          ahead += each * limit.unitMs;
          return wait;
        });
      }),
    );
    return costs.map((_, index) => Math.max(0, ...ofLimits.map((waits) => waits[index] ?? 0)));
  }
}

/** A limit as the store has it. */
function shared(id: string, { amount, of, periodMs }: Limit) {
  const unitMs = periodMs / amount;
  const burstMs = (Math.max(1, amount * burstShare) - 1) * unitMs;
  const longestMs = Math.max(maxWaitMs, 2 * periodMs);
  return { id: `${id} ${amount} ${of}/${periodMs}`, of, unitMs, burstMs, longestMs, debt: 0 };
}
