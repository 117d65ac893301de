import type { RunEventBody } from '../../protocol/events.ts';
import type { PreparedSession, SessionResult, TurnResult } from '../../protocol/session.ts';
import { recordOf, type Office, type OfficeRecord } from '../runtime/run-context.ts';
import { preview } from '../orchestration/turn.ts';

/** What a session has come to so far: its last turn, and how many it had. */
export type Last = Pick<SessionResult, 'answer' | 'messages' | 'outcome' | 'turns'>;

/** What a session's next run takes over. `said`: the conversation, as its kind keeps it. */
export interface SessionRecord extends OfficeRecord {
  said: unknown;
  last: Last;
  prepared: PreparedSession;
}

export interface TurnOutcome {
  answer: string;
  messages: string[];
  outcome: SessionResult['outcome'];
}

/** How one kind of configuration takes a turn. */
export interface Partner<Said> {
  office: Office;
  /** What was said so far, small enough to be handed to the session's next run. */
  said: Said;
  /** Takes a turn and tells its events, the final one included. */
  take(text: string, turn: number): Promise<TurnOutcome>;
}

/** A session's conversation with a team or with one agent, turn by turn. */
export class Conversation {
  readonly #partner: Partner<unknown>;
  #last: Last;

  constructor(partner: Partner<unknown>, last: Last | undefined) {
    this.#partner = partner;
    this.#last = last ?? { answer: '', messages: [], outcome: 'answered', turns: 0 };
  }

  async take(text: string): Promise<TurnResult> {
    const turn = this.#last.turns + 1;
    this.#last = { ...this.#last, turns: turn };
    this.#emit({ type: 'turn', turn, text: preview(text) });
    const { answer, messages, outcome } = await this.#partner.take(text, turn);
    this.#last = { answer, messages, outcome, turns: turn };
    return { answer, messages, turn };
  }

  end(): SessionResult {
    const { desk, events, ledger } = this.#partner.office;
    return { ...this.#last, humanQa: desk.history, usage: ledger.usage, events: events.count };
  }

  record(prepared: PreparedSession): SessionRecord {
    return { prepared, ...recordOf(this.#partner.office), said: this.#partner.said, last: this.#last };
  }

  #emit(event: RunEventBody): void {
    const { events } = this.#partner.office;
    events.attempt = 0;
    events.emit(event);
  }
}
