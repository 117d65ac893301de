import { CancellationScope, condition, isCancellation, sleep, upsertSearchAttributes } from '@temporalio/workflow';
import type { FinalOutcome } from '../../protocol/events.ts';
import type { RestartRequest } from '../../protocol/state.ts';
import { isBudgetSpent } from '../agent/failures.ts';
import { attemptAttribute } from './attributes.ts';
import type { RunContext } from './run-context.ts';
import { tellFinal } from './run-ends.ts';

/** One pass through the unit that a workflow repeats: an attempt, a planning iteration, a round. */
export interface Iteration<Restart> {
  /** From 1. */
  number: number;
  /** Whether none is left after it. */
  isLast: boolean;
  /** Why there is another one; undefined for the first. */
  restart: Restart | undefined;
  /** All restarts of the run so far, that one included. */
  restarts: readonly Restart[];
  /** All that it has under way: cancelled when a person, or the time, puts an end to it. */
  scope: CancellationScope;
}

/** Where a run goes from an iteration. */
export type Verdict<Outcome, Restart> =
  /** It is good enough, or the best of all is when none is left: it is concluded. */
  | { kind: 'accept'; outcome: Outcome; best?: boolean }
  /** The unit is done again. */
  | { kind: 'again'; restart: Restart }
  /** No further call: the best so far is delivered as it is. `why`: in words, for a result that nobody has put together. */
  | { kind: 'end'; outcome: Outcome; why?: string };

/** How a run ended. `I`: the workflow's own iteration. */
export interface Ending<I, Outcome, Restart> {
  outcome: Outcome;
  why: string | undefined;
  /** The last iteration, and the best of all; undefined where none has anything to deliver. */
  last: I;
  best: I | undefined;
  restarts: Restart[];
}

/** What a workflow says of the unit that it repeats, and of who judges it. */
export interface Loop<I, Outcome extends FinalOutcome, Restart> {
  /** How many iterations there may be. */
  limit: number;
  /** The outcome where another iteration is wanted and none is left. */
  limitOutcome: Outcome;
  /** Time that one iteration has, in milliseconds; it stands still while a question waits for a person. */
  timeout?: { milliseconds: number; outcome: Outcome };
  /** The outcome where the budget is spent. */
  budgetOutcome: Outcome;
  /** Makes the iteration, and tells that it begins. */
  begin(iteration: Iteration<Restart>): I;
  work(iteration: I): Promise<void>;
  judge(iteration: I): Promise<Verdict<Outcome, Restart>>;
  /** What is left to do with the result that was accepted. A person may still want another iteration meanwhile. */
  conclude?(iteration: I, outcome: Outcome): Promise<void>;
  /** Told where another iteration is wanted and none is left. */
  refused?(restart: Restart): void;
  /** Told before the next iteration begins. */
  again?(iteration: I, restart: Restart): void;
  /** Told when a person, or the time, has put an end to what an iteration was doing. */
  interrupted?(iteration: I, verdict: Verdict<Outcome, Restart>): void;
  /** Whether an iteration's result is to be delivered rather than that of the best one before; undefined: none was. */
  isBetter(iteration: I, best: I | undefined): boolean;
  /** What a person's request for a restart means. Absent: this workflow takes none. */
  requested?(request: RestartRequest): Restart;
  /** What becomes of the result: from here on nobody can interrupt. */
  deliver(ending: Ending<I, Outcome, Restart>): Promise<{ agent: string; answer: string }>;
}

/** Puts an end to what the present iteration is doing; a later one replaces an earlier one. */
export type Interrupt<Outcome, Restart> = (verdict: Verdict<Outcome, Restart>) => void;

/**
 * The one loop of all workflows: do some work, judge it, and go back to exactly the point that needs it, knowing why.
 * It keeps the counter, the record of restarts and the best result so far, and ends by telling the final event.
 *
 * @param onInterrupt is given what a signal of the workflow's own may call
 * @throws what the workflow's steps throw, but for a spent budget
 */
export async function iterate<I, Outcome extends FinalOutcome, Restart>(
  run: RunContext,
  loop: Loop<I, Outcome, Restart>,
  onInterrupt: (interrupt: Interrupt<Outcome, Restart>) => void = () => {},
): Promise<Ending<I, Outcome, Restart>> {
  type Step = Verdict<Outcome, Restart>;
  const restarts: Restart[] = [];
  const limit = Math.max(1, loop.limit);
  let best: I | undefined;
  let iteration: I;
  let interruption: Step | undefined;
  let scope = new CancellationScope();
  const interrupt = (verdict: Step): void => {
    interruption = verdict;
    scope.cancel();
  };
  run.handlers.takeRequests((request) => {
    if (loop.requested === undefined) return refuseRequest(run);
    const restart = loop.requested(request);
    if (restarts.length + 1 < limit) interrupt({ kind: 'again', restart });
    else loop.refused?.(restart);
  });
  onInterrupt(interrupt);

  /** Takes steps until they come to a verdict, the budget is spent, or something from outside puts an end to them. */
  const verdictOf = async (steps: () => Promise<Step>): Promise<Step> => {
    try {
      if (interruption === undefined) return await scope.run(steps);
    } catch (error) {
      if (isBudgetSpent(error)) return { kind: 'end', outcome: loop.budgetOutcome, why: error.message };
      if (interruption === undefined || !isCancellation(error)) throw error;
    }
    const verdict = interruption;
    interruption = undefined;
    scope = new CancellationScope();
    loop.interrupted?.(iteration, verdict);
    return verdict;
  };

  for (let number = 1; ; number++) {
    run.events.attempt = number;
    upsertSearchAttributes([{ key: attemptAttribute, value: number }]);
    scope = new CancellationScope();
    const isLast = number >= limit;
    iteration = loop.begin({ number, isLast, restart: restarts.at(-1), restarts, scope });
    let timeUp: Step | undefined;
    const stopClock = startClock(run, loop.timeout, (outcome) => interrupt((timeUp = { kind: 'end', outcome })));
    let verdict = await verdictOf(async () => {
      await loop.work(iteration);
      return loop.judge(iteration);
    });
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
    stopClock();
    // It may have come at the very moment when the iteration was done: the next one has its own time.
    if (interruption === timeUp) interruption = undefined;
    if (verdict.kind === 'again') {
      loop.again?.(iteration, verdict.restart);
      restarts.push(verdict.restart);
      continue;
    }
    const { outcome, why } = verdict;
    run.handlers.takeRequests(() => refuseRequest(run));
    onInterrupt(() => {});
    if (outcome === 'timeout' || outcome === 'budget') run.events.emit({ type: 'stopped', why: outcome });
    const ending = { outcome, why, last: iteration, best, restarts };
    await tellFinal(run, { outcome, ...(await loop.deliver(ending)) });
    return ending;
  }
}

/** A person asks for a restart where nothing is under way that could be started over. */
export const refuseRequest = ({ events }: RunContext): void =>
  events.emit({ type: 'warning', text: 'requestRestart is ignored: there is nothing to start over' });

/** @returns what stops it */
function startClock<Outcome>(
  { humanInput }: RunContext,
  limit: { milliseconds: number; outcome: Outcome } | undefined,
  onEnd: (outcome: Outcome) => void,
): () => void {
  if (limit === undefined) return () => {};
  const clock = new CancellationScope();
  const run = async (): Promise<void> => {
    let left = limit.milliseconds;
    while (left > 0) {
      const waitedBefore = humanInput.waited;
      await sleep(left, { summary: 'orchestrator timeout' });
      await condition(() => humanInput.pending.length === 0);
      left = humanInput.waited - waitedBefore;
    }
    onEnd(limit.outcome);
  };
  clock.run(run).catch(() => {});
  return () => clock.cancel();
}
