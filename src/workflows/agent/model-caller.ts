import { ActivityCancellationType, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { CallModelInput, CallModelResult } from '../../protocol/model-call.ts';
import { budgetSpent } from './failures.ts';
import type { UsageTracker } from './usage-tracker.ts';
import type { Backend } from '../../config/backend.ts';
import type { Text } from '../../protocol/message.ts';

/** What a call is for, as its summary in the Web UI names it. */
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
  /** `attempt 2`, `turn 3`. */
  when: string;
  /** Time that the call has in all, its retries included, in milliseconds. */
  timeout: number;
}

/** Who an agent is: the same through all its conversations. */
export interface Persona {
  /** Configured id. */
  id: string;
  /** `system_message`. */
  text: Text | undefined;
  backend: Backend;
}

/** The same at another temperature; undefined: at the backend's own. */
export function withTemperature(persona: Persona, temperature: number | undefined): Persona {
  return temperature === undefined ? persona : { ...persona, backend: { ...persona.backend, temperature } };
}

type Request = Omit<CallModelInput, 'backend'>;

/** A call under way. */
export interface StartedCall {
  activityId: string;
  result: Promise<CallModelResult>;
}

/** Told of each call as it starts. */
export type CallListener = (call: { agent: string; purpose: Purpose; activityId: string; model: string }) => void;

/**
 * Calls models on behalf of a run's agents: checks the budget before each call, keeps the accounts,
 * and names each activity so that an abandoned call can be found in the journal again.
 */
export class ModelCaller {
  readonly #usage: UsageTracker;
  readonly #onCall: CallListener;
  #calls = 0;

  constructor(usage: UsageTracker, onCall: CallListener) {
    this.#usage = usage;
    this.#onCall = onCall;
  }

  /**
   * Starts a call. Its result rejects with an `ActivityFailure`, or with a `CancelledFailure` at once when cancelled.
   *
   * @throws `ApplicationFailure` of type `BudgetSpent`
   */
  start(persona: Persona, purpose: Purpose, request: Request): StartedCall {
    const limit = this.#usage.spentLimit;
    if (limit !== undefined) throw budgetSpent(limit);
    const { id, backend } = persona;
    const activityId = `model-${++this.#calls}`;
    const model = backend.model ?? backend.type;
    const { callModel } = proxyActivities<Activities>({
      activityId,
      summary: `${id} · ${purpose.what} · ${purpose.when} · ${model}`,
      scheduleToCloseTimeout: purpose.timeout,
      heartbeatTimeout: '15 seconds',
      // A superseded call must not hold up the round that follows it; its cost is settled later.
      cancellationType: ActivityCancellationType.TRY_CANCEL,
      retry: {
        initialInterval: '500 ms',
        backoffCoefficient: 2,
        maximumInterval: '30 seconds',
        maximumAttempts: 8,
      },
    });
    this.#usage.callStarted(id);
    this.#onCall({ agent: id, purpose, activityId, model });
    return { activityId, result: this.#account(callModel({ backend, ...request }), activityId, persona) };
  }

  async #account(
    call: Promise<CallModelResult>,
    activityId: string,
    { id, backend }: Persona,
  ): Promise<CallModelResult> {
    try {
      const result = await call;
      this.#usage.callEnded(id, backend.model, result.usage);
      return result;
    } catch (error) {
      if (isCancellation(error)) this.#usage.callAbandoned(activityId, id, backend.model);
      throw error;
    }
  }
}
