import { ActivityFailure, ApplicationFailure, CancellationScope, proxyActivities, sleep } from '@temporalio/workflow';
import type { Activities } from '../../protocol/activities.ts';
import { failureTypes } from '../../protocol/errors.ts';
import type { KeyEnd, RunEventBody } from '../../protocol/events.ts';
import type { HumanReply, PendingQuestion } from '../../protocol/questions.ts';
import { loginAddress, loginCommand } from '../../protocol/login.ts';
import { budgetSpent } from '../agent/failures.ts';
import type { UsageTracker } from '../agent/usage-tracker.ts';
import { WaitTime } from './clock.ts';

/** How often it is looked whether a worker has the key. Between two looks nothing is added to the history. */
const lookEvery = '5 seconds';

/** A variable that agents wait for. */
interface MissingKey {
  variable: string;
  /** Ids of the agents, one for each call that waits. */
  agents: string[];
  askedAt: string;
  /** The scope of the activity that looks for it. */
  looking: CancellationScope;
  end: Promise<KeyEnd>;
  settle: (how: KeyEnd) => void;
}

/**
 * Keys that the environment of a run's worker lacks in the middle of the run, since another worker has taken it over. The
 * call that needs one waits until a worker has it, for days if need be, and is made again. A person may go on without it.
 */
export class MissingKeys {
  readonly #missing = new Map<string, MissingKey>();
  readonly #skipped = new Set<string>();
  readonly #waits = new Map<string, WaitTime>();
  readonly #usage: UsageTracker;
  readonly #allWaits: WaitTime;
  readonly #emit: (event: RunEventBody) => void;
  readonly #ignore: (text: string) => void;

  /**
   * @param allWaits the time that the run waits for a person, whatever for
   * @param ignore is told of an answer without effect
   */
  constructor(
    usage: UsageTracker,
    allWaits: WaitTime,
    emit: (event: RunEventBody) => void,
    ignore: (text: string) => void,
  ) {
    this.#usage = usage;
    this.#allWaits = allWaits;
    this.#emit = emit;
    this.#ignore = ignore;
  }

  /** The keys that the run waits for, each once however many agents need it. */
  get pending(): PendingQuestion[] {
    return [...this.#missing].map(([variable, { agents, askedAt }]) => ({
      kind: 'key',
      questionId: idOf(variable),
      from: [...new Set(agents)].join(', '),
      question: questionFor(variable),
      askedAt,
      expiresAt: null,
    }));
  }

  /** The time that an agent's calls have waited for keys. */
  waitsOf(agent: string): WaitTime {
    const waits = this.#waits.get(agent) ?? new WaitTime();
    this.#waits.set(agent, waits);
    return waits;
  }

  /**
   * Does work of an agent, and does it again whenever a key was missing for it that a worker has now.
   *
   * @throws what the work throws; `ApplicationFailure` of type `BudgetSpent` if the budget of time is spent meanwhile
   */
  async orWait<T>(agent: string, work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const variable = missingVariable(error);
        if (variable === undefined || this.#skipped.has(variable)) throw error;
        const how = await this.#wait(variable, agent);
        if (how === 'timeout') this.#usage.timeIsUp();
        const limit = this.#usage.timeLimit;
        if (limit !== undefined) throw budgetSpent(limit);
        if (how !== 'found') throw error;
      }
    }
  }

  /** Takes a person's answer if it is for a key. @returns whether it was */
  answer({ answer, questionId }: HumanReply): boolean {
    const [first] = this.#missing.keys();
    const isSkip = answer.trim() === '';
    const named = [...this.#missing.keys()].find((variable) => idOf(variable) === questionId);
    const variable = named ?? (questionId === undefined && isSkip ? first : undefined);
    if (variable === undefined) return false;
    if (isSkip) this.#skip(variable);
    // What was sent may be the key itself, and is not repeated.
    else this.#ignore(`An answer is ignored: ${remedy(variable)} where the worker runs instead`);
    return true;
  }

  /** Waits again for what a person went on without: in a session's next turn. */
  forgetSkipped(): void {
    this.#skipped.clear();
  }

  async #wait(variable: string, agent: string): Promise<KeyEnd> {
    const known = this.#missing.get(variable);
    const missing = known ?? this.#look(variable);
    missing.agents.push(agent);
    if (known === undefined) this.#emit({ type: 'key_missing', questionId: idOf(variable), from: agent, variable });
    const waits = this.waitsOf(agent);
    waits.begin();
    try {
      return await Promise.race([missing.end, CancellationScope.current().cancelRequested]);
    } finally {
      waits.end();
      missing.agents.splice(missing.agents.indexOf(agent), 1);
      if (missing.agents.length === 0) this.#close(missing, 'withdrawn');
    }
  }

  #look(variable: string): MissingKey {
    const { promise: end, resolve: settle } = Promise.withResolvers<KeyEnd>();
    // The agent whose call began to look may be cancelled while others still wait.
    const shield = new CancellationScope({ cancellable: false });
    const looking = new CancellationScope({ cancellable: true, parent: shield });
    const missing = { variable, agents: [], askedAt: new Date().toISOString(), looking, end, settle };
    this.#missing.set(variable, missing);
    this.#allWaits.begin();
    const { awaitKey } = proxyActivities<Activities>({
      summary: questionFor(variable),
      startToCloseTimeout: '30 seconds',
      retry: { initialInterval: lookEvery, backoffCoefficient: 1 },
    });
    const left = this.#usage.millisecondsLeft;
    const ends: Array<Promise<KeyEnd>> = [looking.run(() => awaitKey({ variable })).then(() => 'found')];
    // A timer, since Temporal ends an activity early where its next try would come too late.
    if (Number.isFinite(left)) ends.push(looking.run(() => sleep(left)).then(() => 'timeout'));
    for (const end of ends) {
      end.then(
        (how) => this.#close(missing, how),
        () => this.#close(missing, 'withdrawn'),
      );
    }
    return missing;
  }

  #skip(variable: string): void {
    const missing = this.#missing.get(variable);
    if (missing === undefined) return;
    this.#skipped.add(variable);
    this.#close(missing, 'skipped');
  }

  /** Ends a wait; a second time does nothing. */
  #close(missing: MissingKey, how: KeyEnd): void {
    const { looking, settle, variable } = missing;
    if (this.#missing.get(variable) !== missing) return;
    this.#missing.delete(variable);
    this.#allWaits.end();
    looking.cancel();
    settle(how);
    this.#emit({ type: 'key_closed', questionId: idOf(variable), variable, how });
  }
}

function idOf(variable: string): string {
  const address = loginAddress(variable);
  return address === undefined
    ? `key-${variable}`
    : `login-${address.replace(/^https?:\/\//, '').replace(/[^\w.:/-]+/g, '-')}`;
}

function questionFor(variable: string): string {
  const address = loginAddress(variable);
  return address === undefined ? `needs ${variable} on a worker` : `needs a login: ${loginCommand(address)}`;
}

function remedy(variable: string): string {
  const address = loginAddress(variable);
  return address === undefined ? `set ${variable}` : loginCommand(address);
}

/** The variable that a worker lacked for an activity; undefined if the activity failed for any other reason. */
function missingVariable(error: unknown): string | undefined {
  const failure = error instanceof ActivityFailure ? error.cause : undefined;
  if (!(failure instanceof ApplicationFailure) || failure.type !== failureTypes.missingKey) return undefined;
  const { variable } = (failure.details?.[1] ?? {}) as { variable?: string };
  return variable;
}
