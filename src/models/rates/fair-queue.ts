import type { Priority } from '@temporalio/common';

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
