import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../protocol/activities.ts';
import { failureTypes } from '../../protocol/errors.ts';
import type { KeyEnd } from '../../protocol/events.ts';
import { loginAddress, loginCommand } from '../../protocol/tools/login.ts';
import { activityFailure, budgetSpent } from '../agent/failures.ts';
import type { UsageTracker } from '../agent/usage-tracker.ts';
import type { Messages } from '../runtime/messages.ts';
import type { PendingRequest, PendingRequests } from './pending-requests.ts';

/** How often it is looked whether a worker has the key. Between two looks nothing is added to the history. */
const lookEvery = '5 seconds';

/** A variable that is waited for. `agents` has an entry for each call that waits. */
type MissingKey = { request: PendingRequest<KeyEnd>; agents: string[] };

/**
 * Keys that the environment of a run's worker lacks in the middle of the run, since another worker has taken it over. The
 * call that needs one waits until a worker has it, for days if need be, and is made again. A person may go on without it.
 */
export class MissingKeys {
  /** By their variables. */
  readonly #missing = new Map<string, MissingKey>();
  readonly #skipped = new Set<string>();
  readonly #run: { messages: Messages; requests: PendingRequests; usage: UsageTracker };

  constructor(run: { messages: Messages; requests: PendingRequests; usage: UsageTracker }) {
    this.#run = run;
  }

  /**
   * Does work of an agent, and does it again whenever a key was missing for it that a worker has now.
   *
   * @throws `ApplicationFailure` of type `BudgetSpent` if the budget of time is spent meanwhile; what the work throws
   */
  async orWait<T>(agent: string, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const variable = missingVariable(error);
        if (variable === undefined || this.#skipped.has(variable)) throw error;
        const how = await this.#wait(variable, agent);
        const limit = this.#run.usage.timeLimit;
        if (limit !== undefined) throw budgetSpent(limit);
        if (how !== 'found') throw error;
      }
    }
  }

  answer(id: string, answer: string): void {
    const found = [...this.#missing].find(([, { request }]) => request.pending.questionId === id);
    if (found === undefined) return;
    const [variable, { request }] = found;
    // What was sent may be the key itself, and is not repeated.
    const text = `An answer is ignored: ${wordsFor(variable).remedy} where the worker runs instead`;
    if (answer.trim() !== '') return this.#run.messages.ignore('answer', text);
    this.#skipped.add(variable);
    request.close('skipped');
  }

  /** Waits again for what a person went on without: in a session's next turn. */
  forgetSkipped(): void {
    this.#skipped.clear();
  }

  #wait(variable: string, agent: string): Promise<KeyEnd> {
    const { agents, request } = this.#missing.get(variable) ?? this.#look(variable, agent);
    agents.push(agent);
    request.pending.from = namesOf(agents);
    const withdraw = (): void => {
      agents.splice(agents.indexOf(agent), 1);
      request.pending.from = namesOf(agents);
      if (agents.length === 0) request.close('withdrawn');
    };
    return this.#run.requests.wait(request.end, withdraw, agent);
  }

  #look(variable: string, from: string): MissingKey {
    const { id: questionId, question } = wordsFor(variable);
    const request = this.#run.requests.open<KeyEnd>(
      { kind: 'key', questionId, from, question },
      {
        onTimeout: () => request.close('timeout'),
        opened: (pending) => ({ type: 'key_missing', ...pending, variable }),
        closed: (how) => {
          this.#missing.delete(variable);
          return { type: 'key_closed', questionId, variable, how };
        },
      },
    );
    const missing = { request, agents: [] };
    this.#missing.set(variable, missing);
    const { awaitKey } = proxyActivities<Activities>({
      summary: question,
      startToCloseTimeout: '30 seconds',
      retry: { initialInterval: lookEvery, backoffCoefficient: 1 },
    });
    // Temporal would end an activity early where its next try would come too late, so that its options do not have the budget.
    request.scope
      .run(() => awaitKey({ variable }))
      .then(
        () => request.close('found'),
        () => request.close('withdrawn'),
      );
    return missing;
  }
}

const namesOf = (agents: string[]): string => [...new Set(agents)].join(', ');

/** What is said of a key: its question's id and text, and what a person can do. */
function wordsFor(variable: string): { id: string; question: string; remedy: string } {
  const address = loginAddress(variable);
  if (address === undefined)
    return { id: `key-${variable}`, question: `needs ${variable} on a worker`, remedy: `set ${variable}` };
  const place = address.replace(/^https?:\/\//, '').replace(/[^\w.:/-]+/g, '-');
  const remedy = loginCommand(address);
  return { id: `login-${place}`, question: `needs a login: ${remedy}`, remedy };
}

/** The variable that a worker lacked for an activity. */
function missingVariable(error: unknown): string | undefined {
  const details = activityFailure(error, failureTypes.missingKey)?.details?.[1] as { variable?: string } | undefined;
  return details?.variable;
}
