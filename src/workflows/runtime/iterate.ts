import { CancellationScope, condition, isCancellation, upsertSearchAttributes } from '@temporalio/workflow';
import type { FinalOutcome } from '../../protocol/events.ts';
import type { RestartRequest } from '../../protocol/state.ts';
import { isBudgetSpent } from '../agent/failures.ts';
import { startClock } from './clock.ts';
import type { RunContext } from './run-context.ts';
import { tellFinal } from './run-ends.ts';

/** One pass through what a workflow repeats: a team's attempt, a planning iteration, a round of subtasks. */
export interface Iteration<Restart> {
  number: number;
  isLast: boolean;
  /** Why this iteration became necessary; undefined for the first. */
  restart: Restart | undefined;
  /** All restarts of the run so far, including `restart`. */
  restarts: readonly Restart[];
  /** Cancelled when the iteration is interrupted for the first time. Its background work belongs in this scope. */
  scope: CancellationScope;
}

/** What happens after an iteration was judged or interrupted. */
export type Verdict<Outcome, Restart> =
  /** The result is accepted and goes on to `conclude`. With `best` it is the best result of all iterations. */
  | { kind: 'accept'; outcome: Outcome; best?: boolean }
  | { kind: 'again'; restart: Restart }
  /** The run ends without `conclude`: the best result so far is delivered. `why` explains this in words. */
  | { kind: 'end'; outcome: Outcome; why?: string };

/** `I` is the workflow's own type of iterations. */
export interface LoopResult<I, Outcome, Restart> {
  outcome: Outcome;
  /** As in the verdict `end`, or the message of the spent budget. */
  why: string | undefined;
  last: I;
  /** The best iteration by `isBetter`; undefined when no iteration has a result. */
  best: I | undefined;
  restarts: Restart[];
}

/**
 * A workflow's part in `iterate`. A signal, the time limit or a request to cancel the run cancels whichever of `work`,
 * `judge` and `conclude` is under way, and `interrupted` is called with the verdict that takes the place of its result.
 */
interface Loop<I, Outcome extends FinalOutcome, Restart> {
  limit: number;
  /** The outcome when another iteration is wanted and none is left; the best result is then accepted. */
  limitOutcome: Outcome;
  /** Time for one iteration including `conclude`. The clock stands still while a question or a key is waited for. */
  timeout?: { milliseconds: number; outcome: Outcome };
  /** Creates the workflow's iteration and emits the event that it begins. */
  begin(iteration: Iteration<Restart>): I;
  work(iteration: I): Promise<void>;
  judge(iteration: I): Promise<Verdict<Outcome, Restart>>;
  /** Completes the accepted result. A person may still ask for another iteration meanwhile. */
  conclude?(accepted: I, outcome: Outcome): Promise<void>;
  /** Another iteration is wanted, and none is left. */
  refused?(restart: Restart): void;
  again?(iteration: I, restart: Restart): void;
  interrupted?(iteration: I, verdict: Verdict<Outcome, Restart>): void;
  /** Whether the iteration has a result, and one that is better than the best one so far, which may be the same iteration. */
  isBetter(iteration: I, best: I | undefined): boolean;
  /** The outcome when it is known how everything went. */
  finalOutcome?(outcome: Outcome): Outcome;
  /** Turns a person's `requestRestart` into a restart. Without it the workflow refuses such requests. */
  requested?(request: RestartRequest): Restart;
  deliver(ending: LoopResult<I, Outcome, Restart>): Promise<{ agent: string; answer: string }>;
}

/** Interrupts the present iteration with a verdict. A later interruption replaces one that has not been handled yet. */
export type Interrupt<Outcome, Restart> = (verdict: Verdict<Outcome, Restart>) => void;

/**
 * The loop of all workflows that repeat something: work, judge the result, and start over with the reason why it was not
 * good enough, until a result is accepted or a limit is reached.
 *
 * @param loop its outcomes include `budget` and `cancelled`, with which it ends when the budget is spent or the run cancelled
 * @param onInterrupt gets, before the first iteration, what the workflow's signals interrupt by; in the end what does nothing
 * @throws what the loop's functions throw, except for `BudgetSpent` in `work`, `judge` and `conclude`
 */
export async function iterate<I, Outcome extends FinalOutcome, Restart>(
  run: RunContext,
  loop: Loop<I, Outcome, Restart>,
  onInterrupt: (interrupt: Interrupt<Outcome, Restart>) => void = () => {},
): Promise<LoopResult<I, Outcome, Restart>> {
  type Step = Verdict<Outcome, Restart>;
  const restarts: Restart[] = [];
  const limit = Math.max(1, loop.limit);
  let best: I | undefined;
  let iteration: I;
  let interruption: Step | undefined;
  let timeUp: Step | undefined;
  let scope = new CancellationScope();
  const interrupt = (verdict: Step): void => {
    interruption = verdict;
    scope.cancel();
  };
  // A request that has come before is handed over at once: it then interrupts the first iteration as that begins.
  const mayRestart = (): boolean => loop.requested !== undefined && restarts.length + 1 < limit;
  run.handlers.takeRequests((request) => {
    if (loop.requested === undefined) return refuseRequest(run);
    const restart = loop.requested(request);
    if (mayRestart()) interrupt({ kind: 'again', restart });
    else if (run.handlers.messages.tells('requestRestart')) loop.refused?.(restart);
  }, mayRestart);
  onInterrupt(interrupt);

  const cancelled: Step = {
    kind: 'end',
    outcome: 'cancelled' as Outcome,
    get why() {
      return cancelledText('run');
    },
  };
  const startTimeout = ({ milliseconds, outcome }: { milliseconds: number; outcome: Outcome }): (() => void) => {
    const onEnd = (): void => interrupt((timeUp = { kind: 'end', outcome }));
    return startClock(milliseconds, run.requests.waits, onEnd, 'orchestrator timeout');
  };

  /** Takes steps up to a verdict, which an interruption or the spent budget may give instead of them. */
  const verdictOf = async (steps: () => Promise<Step>): Promise<Step> => {
    if (isCancelled()) interruption = cancelled;
    try {
      if (interruption === undefined) {
        const verdict = await scope.run(steps);
        // What a person has said at the very moment of the verdict takes its place. That the time is up does not.
        if (interruption === undefined || interruption === timeUp) return verdict;
      }
    } catch (error) {
      if (isBudgetSpent(error)) return { kind: 'end', outcome: 'budget' as Outcome, why: error.message };
      if (isCancelled()) interruption = cancelled;
      if (interruption === undefined || !isCancellation(error)) throw error;
    }
    const verdict = interruption;
    interruption = undefined;
    scope = new CancellationScope();
    loop.interrupted?.(iteration, verdict);
    return verdict;
  };

  for (let number = 1; ; number++) {
    run.events.begin(number);
    const attempt = run.handlers.attemptToShow(number);
    if (attempt.length > 0) upsertSearchAttributes(attempt);
    scope = new CancellationScope();
    const isLast = number >= limit;
    iteration = loop.begin({ number, isLast, restart: restarts.at(-1), restarts, scope });
    timeUp = undefined;
    const stopClock = loop.timeout && startTimeout(loop.timeout);
    let verdict = await verdictOf(async () => {
      await loop.work(iteration);
      return loop.judge(iteration);
    });
    // `conclude` may be interrupted with any verdict, even with another `accept`.
    for (;;) {
      if (loop.isBetter(iteration, best)) best = iteration;
      if (verdict.kind === 'again' && isLast) {
        loop.refused?.(verdict.restart);
        verdict = { kind: 'accept', outcome: loop.limitOutcome, best: true };
      }
      if (verdict.kind !== 'accept') break;
      const { outcome } = verdict;
      const accepted = verdict.best ? (best ?? iteration) : iteration;
      verdict = await verdictOf(async () => {
        await loop.conclude?.(accepted, outcome);
        return { kind: 'end', outcome };
      });
    }
    stopClock?.();
    // The time may run out at the very moment when the iteration is done. That must not interrupt the next one.
    if (interruption === timeUp) interruption = undefined;
    if (verdict.kind === 'again') {
      loop.again?.(iteration, verdict.restart);
      restarts.push(verdict.restart);
      continue;
    }
    const { why } = verdict;
    const outcome = loop.finalOutcome?.(verdict.outcome) ?? verdict.outcome;
    run.handlers.takeRequests(() => refuseRequest(run));
    onInterrupt(() => {});
    if (outcome === 'timeout' || outcome === 'budget' || outcome === 'cancelled')
      run.events.emit({ type: 'stopped', why: outcome });
    const ending = { outcome, why, last: iteration, best, restarts };
    // A request to cancel the run, be it the second one, must not cost it the answer that it has.
    await CancellationScope.nonCancellable(async () => {
      if (verdict === cancelled) await callsCancelled(run);
      await tellFinal(run, { outcome, ...(await loop.deliver(ending)) });
    });
    return ending;
  }
}

export const refuseRequest = ({ handlers }: RunContext): void =>
  handlers.messages.ignore('requestRestart', 'requestRestart is ignored: there is nothing to start over');

export const isCancelled = (): boolean => CancellationScope.current().consideredCancelled;

/** What was cancelled, in words: the whole run, or of a session the turn under way alone. */
export function cancelledText(run: 'run' | 'session', scope = CancellationScope.current()): string {
  if (scope.parent !== undefined) return cancelledText(run, scope.parent);
  return scope.consideredCancelled ? `The ${run} was cancelled` : 'The turn was stopped';
}

/** Waits until all calls of a cancelled run have been given up, so that what they have cost can be settled. */
export async function callsCancelled({ models }: RunContext): Promise<void> {
  await condition(() => models.isIdle);
}
