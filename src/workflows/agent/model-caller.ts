import { ActivityCancellationType, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../protocol/activities.ts';
import type { RunEventBody } from '../../protocol/events.ts';
import type { Text, TokenUsage } from '../../protocol/message.ts';
import type { CallModelInput, CallModelResult } from '../../protocol/model-call.ts';
import type { MissingKeys } from '../people/missing-keys.ts';
import { callerOf, spent } from '../runtime/tracing.ts';
import { budgetSpent, callFailure } from './failures.ts';
import { withPreviews } from './previews.ts';
import type { UsageTracker } from './usage-tracker.ts';
import type { Backend } from '../../protocol/settings.ts';

/** What a model call is for, as its summary in Temporal's Web UI shows. */
export interface Purpose {
  what:
    | 'answer'
    | 'vote'
    | 'decide'
    | 'present'
    | 'evaluate'
    | 'shadow'
    | 'reply'
    | 'think'
    | 'act'
    | 'observe'
    | 'recover'
    | 'summarise'
    | 'plan'
    | 'criticise'
    | 'synthesise'
    | 'analyse'
    | 'validate';
  /** Such as `attempt 2` or `turn 3`. */
  when: string;
  /** Time for the call with its retries, in milliseconds. */
  timeout: number;
}

/** What stays the same in all conversations of an agent. */
export interface Persona {
  id: string;
  text: Text | undefined;
  backend: Backend;
}

/** The persona at another temperature; undefined keeps the backend's own. */
export function withTemperature(persona: Persona, temperature: number | undefined): Persona {
  if (temperature === undefined) return persona;
  const own = persona.backend.temperature === undefined && { is_loops_temperature: true };
  return { ...persona, backend: { ...persona.backend, ...own, temperature } };
}

type Request = Omit<CallModelInput, 'backend' | 'caller'>;

/** Calls models within the budget of a run. By its activity's id the cost of an abandoned call is looked up later. */
export class ModelCaller {
  readonly #usage: UsageTracker;
  readonly #emit: (event: RunEventBody) => void;
  readonly #keys: MissingKeys;
  readonly #noticed = new Set<string>();
  /** How those come to call whose replies have called, by their ids. */
  readonly #calling = new Map<string, 'by_itself' | 'by_schema'>();
  #calls = 0;
  #underWay = 0;

  constructor(usage: UsageTracker, emit: (event: RunEventBody) => void, keys: MissingKeys) {
    this.#usage = usage;
    this.#emit = emit;
    this.#keys = keys;
  }

  /** Notes that a reply has called, of its own accord or held by a schema. */
  called({ id }: Persona, isHeld: boolean): void {
    if (!isHeld) this.#calling.set(id, 'by_itself');
    else if (!this.#calling.has(id)) this.#calling.set(id, 'by_schema');
  }

  callsBySchema({ id }: Persona): boolean {
    return this.#calling.get(id) === 'by_schema';
  }

  /** Whether no call is under way whose end is yet to be accounted for. */
  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  /**
   * Starts a call. Its result rejects with an `ActivityFailure`, or at once when the call is cancelled, with a failure that
   * `isCancellation` recognises. @throws `ApplicationFailure` of type `BudgetSpent`
   */
  start(
    persona: Persona,
    purpose: Purpose,
    request: Request,
  ): { activityId: string; result: Promise<CallModelResult> } {
    const limit = this.#usage.spentLimit;
    if (limit !== undefined) throw budgetSpent(limit);
    const { id, backend } = persona;
    const activityId = `model-${++this.#calls}`;
    const model = backend.model ?? backend.type;
    const caller = { ...callerOf(id), purpose: purpose.what };
    // Which limit ends a call is known when it begins. By the clock at its end, a replay might say otherwise.
    let isOfBudget = false;
    // A call that is made again for a key keeps its id, by which its cost and its text in progress are found.
    const call = (): Promise<CallModelResult> => {
      const left = this.#usage.millisecondsLeft;
      isOfBudget = left < purpose.timeout;
      const { callModel } = proxyActivities<Activities>({
        activityId,
        summary: `${id} · ${purpose.what} · ${purpose.when} · ${model}`,
        // Tries go on for long, so that a budget of time must end them too.
        scheduleToCloseTimeout: Math.min(purpose.timeout, left),
        heartbeatTimeout: '15 seconds',
        // A cancelled call must not hold up what follows it. Its cost is settled at the end of the run.
        cancellationType: ActivityCancellationType.TRY_CANCEL,
        // What is transient is tried again for as long as the agent has time. The activity itself bounds what costs money.
        retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 seconds' },
      });
      // A call that makes many requests gets the limit that is otherwise looked at before each of them.
      const mostUsd = backend.type === 'claude_code' ? this.#usage.usdLeft : undefined;
      const work = mostUsd !== undefined && { work: { ...request.work, mostUsd } };
      return callModel({ backend, ...withPreviews(request), ...work, caller });
    };
    this.#usage.callStarted(id);
    this.#emit({ type: 'thinking', agent: id, purpose: purpose.what, activityId, model });
    return { activityId, result: this.#account(this.#keys.orWait(id, call), activityId, persona, () => isOfBudget) };
  }

  /** Counts what a search of a provider's model has cost; undefined for one of anybody else. */
  searched(usage: TokenUsage | undefined): void {
    this.#countBesides('searches', undefined, usage);
  }

  /** Counts a call that no agent has made, under a name of its own. */
  #countBesides(name: string, model: string | undefined, usage: TokenUsage | undefined): void {
    if (usage === undefined) return;
    this.#usage.callStarted(name);
    this.#count(name, model, usage);
  }

  async #account(
    call: Promise<CallModelResult>,
    activityId: string,
    { id, backend }: Persona,
    isOfBudget: () => boolean,
  ): Promise<CallModelResult> {
    this.#underWay += 1;
    try {
      const result = await call;
      // What a model does not take is told once, however many calls find it out.
      for (const text of result.notices ?? []) {
        if (!this.#noticed.has(text)) this.#emit({ type: 'notice', text });
        this.#noticed.add(text);
      }
      this.#count(id, backend.model, result.usage);
      this.#countBesides('summaries', backend.model, result.summary);
      return result;
    } catch (error) {
      const isCancelled = isCancellation(error);
      const { reason, timedOut: isTimeUp = false, tookAll = false } = isCancelled ? {} : callFailure(error);
      const isOver = !isCancelled && !isTimeUp;
      this.#usage.callLeft({ activityId, agent: id, model: backend.model, isOver });
      const limit = isTimeUp && isOfBudget() ? this.#usage.timeBudget : undefined;
      if (limit === undefined) throw error;
      if (tookAll) this.#usage.timeIsUp();
      throw budgetSpent(limit, tookAll ? undefined : reason);
    } finally {
      this.#underWay -= 1;
    }
  }

  #count(agent: string, model: string | undefined, usage: TokenUsage): void {
    spent(agent, model, usage, this.#usage.callEnded(agent, model, usage));
  }
}
