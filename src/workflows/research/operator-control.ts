import { condition } from '@temporalio/workflow';
import { decideSignal } from '../../protocol/definitions.ts';
import type { OperatorDecision, ResearchOutcome } from '../../protocol/research.ts';
import { maxMessageChars } from '../../protocol/questions.ts';
import { budgetSpent } from '../agent/failures.ts';
import type { Interrupt } from '../runtime/iterate.ts';
import { quoted, textsProblem } from '../runtime/message-problems.ts';
import { notReady, type RunHandlers } from '../runtime/run-handlers.ts';
import type { Draft, PlanningRestart, ResearchContext } from './context.ts';
import { hasMaterial } from './drafts.ts';
import { judgementOf } from './view.ts';

type ResearchInterrupt = Interrupt<ResearchOutcome, PlanningRestart>;

/** Lets a person end the loop with the signal `decide`. Signals that come before the run can follow them are kept. */
export class OperatorControl {
  /** Whether a person has accepted the plan, or the first material that there will be. */
  hasAccepted = false;
  /** Whether the loop is over: what is accepted then is what the report is about already. */
  isConcluding = false;
  readonly #handlers: RunHandlers;
  /** The last decision that came before the run could follow it, where none was to stop. */
  #early: OperatorDecision | undefined;
  #run: { context: ResearchContext; interrupt: ResearchInterrupt } | undefined;
  #last: OperatorDecision['action'] | undefined;

  constructor(handlers: RunHandlers) {
    this.#handlers = handlers;
    handlers.messages.on(decideSignal, {
      take: (decision) => this.#decide(decision),
      refusal: (decision) => problemOf(decision) ?? this.#refusal(decision),
    });
  }

  steer(context: ResearchContext, interrupt: ResearchInterrupt): void {
    this.#run = { context, interrupt };
    const early = this.#early;
    this.#early = undefined;
    if (early !== undefined) this.#decide(early);
  }

  /** Waits until a person accepts the plan. A person who wants something else interrupts the iteration instead. */
  async review(context: ResearchContext, { criticism, number, plan }: Draft): Promise<void> {
    if (this.hasAccepted) return;
    const { score = null, verdict = null } = criticism ?? {};
    const judged = judgementOf({ score, verdict, restartReason: null });
    const question = `Is this plan good enough for a report? ${plan?.idea ?? context.idea} (${judged})`;
    context.phase = 'waiting_for_approval';
    const review = this.#handlers.requests.open<void>(
      { kind: 'approval', questionId: `approval-${number}`, from: 'planner', question },
      { onTimeout: () => review.close(), opened: (pending) => ({ type: 'plan_review', ...pending }) },
    );
    try {
      const { usage } = context;
      await condition(() => this.hasAccepted || usage.timeLimit !== undefined);
      const { timeLimit } = usage;
      if (!this.hasAccepted && timeLimit !== undefined) throw budgetSpent(timeLimit);
    } finally {
      review.close();
    }
  }

  /** Why a decision would have no effect at present. */
  #refusal({ action }: OperatorDecision): string | undefined {
    if (this.#run === undefined) return notReady;
    if (isWritten(this.#run.context.phase)) return written;
    return action === 'accept' && this.hasAccepted ? 'it is accepted already' : undefined;
  }

  #decide(decision: OperatorDecision): void {
    const { events, messages } = this.#handlers;
    const problem = problemOf(decision);
    if (problem !== undefined) return messages.ignore('decide', `A signal decide is ignored: ${problem}`);
    if (this.#run === undefined) {
      if (this.#early?.action !== 'stop') this.#early = decision;
      return;
    }
    this.#handlers.requests.personIsThere();
    const { action, note } = decision;
    const { context, interrupt } = this.#run;
    const { drafts, phase } = context;
    if (isWritten(phase)) return messages.ignore('decide', `decide is ignored: ${written}`);
    // The same once more changes nothing, and is told of like a message without effect.
    const isRepeated = this.#last === action && (action === 'stop' || this.hasAccepted);
    this.#last = action;
    if (!isRepeated || messages.tells('decide'))
      events.emit({ type: 'decided', action, ...(note !== undefined && { note }) });
    if (action === 'stop') {
      const words = note === undefined || note.trim() === '' ? '' : ` (${note.trim()})`;
      interrupt({ kind: 'end', outcome: 'stopped', why: `a person has stopped the research${words}` });
    } else if (phase !== 'synthesising' && !this.hasAccepted) {
      this.hasAccepted = true;
      const last = drafts.at(-1);
      if (this.isConcluding || drafts.every(({ found }) => found === undefined)) return;
      const outcome = drafts.some(hasMaterial) ? 'viable' : 'no_material';
      interrupt({ kind: 'accept', outcome, best: last === undefined || !hasMaterial(last) });
    }
  }
}

const written = 'the report is written';

const isWritten = (phase: ResearchContext['phase']): boolean => ['persisting', 'opening_issue', 'done'].includes(phase);

function problemOf(decision: unknown): string | undefined {
  const problem = textsProblem(decision, '{action: "accept" | "stop", note?}', ['action'], ['note']);
  if (problem !== undefined) return problem;
  const { action, note = '' } = decision as OperatorDecision;
  if (action !== 'accept' && action !== 'stop') return `action: ${quoted(action)} is not one of accept | stop`;
  return note.length > maxMessageChars
    ? `note has ${note.length} characters, and may have ${maxMessageChars}`
    : undefined;
}
