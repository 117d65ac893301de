import { condition, setHandler } from '@temporalio/workflow';
import { decideSignal, descriptions } from '../../protocol/definitions.ts';
import type { OperatorDecision, ResearchOutcome } from '../../protocol/research.ts';
import type { EventLog } from '../runtime/event-log.ts';
import type { Interrupt } from '../runtime/iterate.ts';
import type { Draft, PlanningRestart, ResearchContext } from './context.ts';
import { hasMaterial } from './drafts.ts';

type ResearchInterrupt = Interrupt<ResearchOutcome, PlanningRestart>;

/**
 * Lets a person end the loop at any time with the signal `decide`. Its handler is set from the first moment, and keeps
 * signals that come before the run can follow them.
 */
export class OperatorControl {
  /** Whether a person has accepted the plan, or the first material that there will be. */
  hasAccepted = false;
  readonly #events: EventLog;
  #early: OperatorDecision[] = [];
  #run: { context: ResearchContext; interrupt: ResearchInterrupt } | undefined;

  constructor(events: EventLog) {
    this.#events = events;
    setHandler(decideSignal, (decision) => this.#decide(decision), { description: descriptions.decide });
  }

  /** From here on decisions are carried out, those that came earlier among them. */
  steer(context: ResearchContext, interrupt: ResearchInterrupt): void {
    this.#run = { context, interrupt };
    for (const decision of this.#early.splice(0)) this.#decide(decision);
  }

  /** Waits until a person accepts the plan. A person who wants something else interrupts the iteration instead. */
  async approval(context: ResearchContext, draft: Draft): Promise<void> {
    if (this.hasAccepted) return;
    context.phase = 'waiting_for_approval';
    context.approval = { draft, askedAt: new Date().toISOString() };
    this.#events.emit({ type: 'approval' });
    await condition(() => this.hasAccepted);
  }

  /** An acceptance does not extend to a plan that is made after it. */
  withdrawAcceptance(): void {
    this.hasAccepted = false;
  }

  #decide(decision: OperatorDecision): void {
    const { action, note } = decision ?? {};
    if (!['accept', 'stop'].includes(action) || !['string', 'undefined'].includes(typeof note)) {
      const text = 'A signal decide without {action: accept | stop, note?} is ignored';
      this.#events.emit({ type: 'warning', text });
      return;
    }
    if (this.#run === undefined) {
      this.#early.push(decision);
      return;
    }
    const { context, interrupt } = this.#run;
    const { drafts, phase } = context;
    if (['persisting', 'opening_issue', 'done'].includes(phase)) {
      this.#events.emit({ type: 'warning', text: 'decide is ignored: the report is written' });
      return;
    }
    this.#events.emit({ type: 'decided', action, ...(note !== undefined && { note }) });
    if (action === 'stop') {
      const words = note === undefined || note.trim() === '' ? '' : ` (${note.trim()})`;
      interrupt({ kind: 'end', outcome: 'stopped', why: `a person has stopped the research${words}` });
    } else if (phase !== 'synthesising') {
      this.hasAccepted = true;
      const last = drafts.at(-1);
      if (phase === 'waiting_for_approval' || drafts.every(({ found }) => found === undefined)) return;
      const outcome = drafts.some(hasMaterial) || !context.isJudged ? 'viable' : 'no_material';
      interrupt({ kind: 'accept', outcome, best: last === undefined || !hasMaterial(last) });
    }
  }
}
