import type { TokenUsage } from '../../protocol/message.ts';
import {
  addUsage,
  noFigures,
  type Figures,
  type PriceTable,
  type RunLimits,
  type Usage,
} from '../../protocol/usage.ts';
import { budgetLeft, costOf, spentLimit, type Spent } from './budget.ts';
import type { Team } from '../../protocol/settings.ts';

const tokensOf = (usage: Pick<TokenUsage, 'inputTokens' | 'outputTokens'> | undefined): number =>
  usage === undefined ? 0 : usage.inputTokens + usage.outputTokens;

export interface UsageRecord {
  usage: Usage;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

/** A call that ended without a reply. What it has cost is looked up later. */
interface LeftCall {
  activityId: string;
  agent: string;
  model: string | undefined;
  /** Whether it is over, so that its cost is known if it ever will be. A cancelled call's worker learns of that later. */
  isOver: boolean;
}

/** What a run has spent, in all and by agent, and whether its budget allows another call. */
export class UsageTracker {
  readonly #sum: Figures;
  readonly #byAgent: Map<string, Figures>;
  readonly #left = new Map<string, LeftCall>();
  readonly #largest = new Map<string, TokenUsage>();
  readonly #startedAt: number;
  readonly #budget: NonNullable<Team['budget']>;
  readonly #prices: PriceTable;
  #isTimeUp = false;

  constructor(budget: Team['budget'], prices: PriceTable, record?: UsageRecord) {
    const { byAgent, ...total } = record?.usage ?? { ...noFigures(), byAgent: {} };
    this.#sum = total;
    this.#byAgent = new Map(Object.entries(byAgent));
    this.#startedAt = record?.startedAt ?? Date.now();
    this.#budget = budget ?? {};
    this.#prices = prices;
  }

  get record(): UsageRecord {
    return { usage: this.total, startedAt: this.#startedAt };
  }

  /** Counts a call when it starts, so that simultaneous calls cannot exceed the limit together. */
  callStarted(agent: string): void {
    this.#sum.calls += 1;
    this.#figuresOf(agent).calls += 1;
  }

  /** Counts what a call has cost. @returns its US dollars */
  callEnded(agent: string, model: string | undefined, usage: TokenUsage): number {
    const cost = this.#costOf(model, usage);
    addUsage(this.#sum, usage, cost);
    addUsage(this.#figuresOf(agent), usage, cost);
    if (tokensOf(usage) > tokensOf(this.#largest.get(agent))) this.#largest.set(agent, usage);
    return cost;
  }

  /** Notes a call that was cancelled, has timed out or has failed, for `settle`. */
  callLeft(call: LeftCall): void {
    this.#left.set(call.activityId, call);
  }

  /** Activity ids of the calls without a reply that are not settled: those that may be under way still, and the others. */
  get left(): { abandoned: string[]; over: string[] } {
    const ids = (isOver: boolean) =>
      [...this.#left.values()].filter((call) => call.isOver === isOver).map(({ activityId }) => activityId);
    return { abandoned: ids(false), over: ids(true) };
  }

  /**
   * Adds what calls without a reply have cost: nothing for one that is not listed, whose cost is unknown.
   *
   * @returns the calls that are listed, with what each has cost in US dollars
   */
  settle(
    costs: Array<[activityId: string, usage: TokenUsage]>,
  ): Array<{ agent: string; model: string | undefined; usage: TokenUsage; cost: number }> {
    const settled = costs.flatMap(([activityId, usage]) => {
      const call = this.#left.get(activityId);
      if (call === undefined) return [];
      const { agent, model } = call;
      return [{ agent, model, usage, cost: this.callEnded(agent, model, usage) }];
    });
    this.#left.clear();
    return settled;
  }

  /** The limit that forbids another call, in words. */
  get spentLimit(): string | undefined {
    // Whether a call may be made is not for the clock to say: a replay may find another time there.
    return spentLimit(this.#budget, { ...this.#spent, seconds: this.#isTimeUp ? Infinity : -Infinity });
  }

  /** Milliseconds that are left of a budget of time, at least 1; Infinity without one. */
  get millisecondsLeft(): number {
    const { seconds = Infinity } = this.#budget;
    return Math.max(1, seconds * 1000 - (Date.now() - this.#startedAt));
  }

  /** Notes that the budget of time is used up. A timer says so, or a call that has had all that was left of it. */
  timeIsUp(): void {
    this.#isTimeUp = true;
  }

  /** The budget of time, in words, if it is used up. */
  get timeLimit(): string | undefined {
    return this.#isTimeUp ? this.timeBudget : undefined;
  }

  /** The whole budget of time, in words; undefined without one. */
  get timeBudget(): string | undefined {
    return spentLimit({ seconds: this.#budget.seconds }, { ...this.#spent, seconds: Infinity });
  }

  /** What is left of a budget of money, in US dollars; undefined without one. */
  get usdLeft(): number | undefined {
    return this.#budget.usd === undefined ? undefined : this.#budget.usd - this.#spent.usd;
  }

  get budgetLeft(): string | undefined {
    return budgetLeft(this.#budget, this.#spent);
  }

  get limits(): RunLimits {
    return { ...this.#budget, startedAt: this.#startedAt };
  }

  get total(): Usage {
    const byAgent = Object.fromEntries([...this.#byAgent].map(([id, sum]) => [id, { ...sum }]));
    return { ...this.#sum, byAgent };
  }

  get #spent(): Spent {
    let tokens = tokensOf(this.#sum);
    let usd = this.#sum.costUsd;
    // Meanwhile each counts as the largest call of its agent so far.
    for (const { agent, model } of this.#left.values()) {
      const usage = this.#largest.get(agent);
      if (usage === undefined) continue;
      tokens += tokensOf(usage);
      usd += this.#costOf(model, usage);
    }
    return { calls: this.#sum.calls, tokens, usd, seconds: (Date.now() - this.#startedAt) / 1000 };
  }

  /** A call that says itself what it has cost is believed, unless the user has said what its model costs. */
  #costOf(model: string | undefined, usage: TokenUsage): number {
    const price = this.#prices[model ?? ''];
    return price === undefined ? (usage.costUsd ?? 0) : costOf(usage, price);
  }

  #figuresOf(agent: string): Figures {
    const figures = this.#byAgent.get(agent) ?? noFigures();
    this.#byAgent.set(agent, figures);
    return figures;
  }
}
