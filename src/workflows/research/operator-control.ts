import { condition, setHandler } from '@temporalio/workflow';
import { decideSignal } from '../../protocol/definitions.ts';
import type { OperatorDecision, ResearchOutcome } from '../../protocol/research.ts';
import type { EventLog } from '../runtime/event-log.ts';
import type { Interrupt } from '../runtime/iterate.ts';
import type { PlanningRestart, ResearchContext } from './context.ts';

/**
 * A person who may end the loop at any time by the signal `decide`. Its handler is there from the first moment: a signal
 * may come before anything else, and is then kept.
 */
export class OperatorControl {
  /** Accepted before there was anything to report on: the first material will do. */
  hasAccepted = false;
  readonly #events: EventLog;
  #context: ResearchContext | undefined;
  #early: OperatorDecision[] = [];
  #interrupt: Interrupt<ResearchOutcome, PlanningRestart> | undefined;
  #isApproved = false;

  constructor(events: EventLog) {
    this.#events = events;
    setHandler(decideSignal, (decision) => this.#decide(decision));
  }

  follow(context: ResearchContext): void {
    this.#context = context;
  }

  /** From here on decisions are carried out; those that came before are, too. */
  steer(interrupt: Interrupt<ResearchOutcome, PlanningRestart>): void {
    this.#interrupt = interrupt;
    for (const decision of this.#early.splice(0)) this.#decide(decision);
  }

  /** Waits until a person accepts the plan; one who wants something else interrupts the iteration. */
  async approval(context: ResearchContext): Promise<void> {
    if (this.#isApproved) return;
    context.phase = 'waiting_for_approval';
    this.#events.emit({ type: 'approval' });
    await condition(() => this.#isApproved);
  }

  /** A person wants another plan: what was accepted before counts no more. */
  withdrawAcceptance(): void {
    this.hasAccepted = false;
    this.#isApproved = false;
  }

  #decide(decision: OperatorDecision): void {
    const { action, note } = decision ?? {};
    if (!['accept', 'stop'].includes(action) || !['string', 'undefined'].includes(typeof note)) {
      const text = 'A signal decide without {action: accept | stop, note?} is ignored';
      this.#events.emit({ type: 'warning', text });
      return;
    }
    const [context, interrupt] = [this.#context, this.#interrupt];
    if (context === undefined || interrupt === undefined) {
      this.#early.push(decision);
      return;
    }
    if (['persisting', 'opening_issue', 'done'].includes(context.phase)) {
      this.#events.emit({ type: 'warning', text: 'decide is ignored: the report is written' });
      return;
    }
    this.#events.emit({ type: 'decided', action, ...(note !== undefined && { note }) });
    if (action === 'stop') {
      const words = note === undefined || note.trim() === '' ? '' : ` (${note.trim()})`;
      interrupt({ kind: 'end', outcome: 'stopped', why: `a person has stopped the research${words}` });
    } else if (context.phase === 'waiting_for_approval') {
      this.#isApproved = true;
    } else if (context.phase !== 'synthesising') {
      this.#accept(context, interrupt);
    }
  }

  #accept({ drafts }: ResearchContext, interrupt: Interrupt<ResearchOutcome, PlanningRestart>): void {
    this.hasAccepted = true;
    this.#isApproved = true;
    const hasMaterial = drafts.some(({ found }) => found !== undefined);
    if (!hasMaterial) return;
    interrupt({ kind: 'accept', outcome: 'viable', best: drafts.at(-1)?.found === undefined });
  }
}
