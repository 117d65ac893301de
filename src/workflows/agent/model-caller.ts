import { ActivityCancellationType, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/activities.ts';
import type { RunEventBody } from '../../protocol/events.ts';
import type { CallModelInput, CallModelResult } from '../../protocol/model-call.ts';
import { budgetSpent } from './failures.ts';
import type { UsageTracker } from './usage-tracker.ts';
import type { Backend } from '../../config/backend.ts';
import type { Text } from '../../protocol/message.ts';

/** What a model call is for. Its summary in Temporal's Web UI shows it. */
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
  /** Configured id. */
  id: string;
  /** The configured `system_message`. */
  text: Text | undefined;
  backend: Backend;
}

/** The persona at another temperature; undefined keeps the backend's own. */
export function withTemperature(persona: Persona, temperature: number | undefined): Persona {
  return temperature === undefined ? persona : { ...persona, backend: { ...persona.backend, temperature } };
}

type Request = Omit<CallModelInput, 'backend'>;

/**
 * Calls models for a run's agents. It checks the budget before each call, counts what is spent, and gives each activity an
 * id by which the cost of an abandoned call can be looked up later.
 */
export class ModelCaller {
  readonly #usage: UsageTracker;
  readonly #emit: (event: RunEventBody) => void;
  #calls = 0;

  constructor(usage: UsageTracker, emit: (event: RunEventBody) => void) {
    this.#usage = usage;
    this.#emit = emit;
  }

  /**
   * Starts a call. Its result rejects with an `ActivityFailure`, or at once when the call is cancelled, with a failure that
   * `isCancellation` recognises.
   *
   * @throws `ApplicationFailure` of type `BudgetSpent`
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
    const { callModel } = proxyActivities<Activities>({
      activityId,
      summary: `${id} · ${purpose.what} · ${purpose.when} · ${model}`,
      scheduleToCloseTimeout: purpose.timeout,
      heartbeatTimeout: '15 seconds',
      // A cancelled call must not hold up what follows it. Its cost is settled at the end of the run.
      cancellationType: ActivityCancellationType.TRY_CANCEL,
      retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '30 seconds', maximumAttempts: 8 },
    });
    this.#usage.callStarted(id);
    this.#emit({ type: 'thinking', agent: id, purpose: purpose.what, activityId, model });
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
