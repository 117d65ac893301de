import { randomUUID } from 'node:crypto';
import type { SessionResult, TurnResult } from '../protocol/session.ts';
import type { SessionState } from '../protocol/state.ts';
import { inputProblem } from '../workflows/runtime/size.ts';
import { InputTooLargeError } from './errors.ts';
import { Run } from './run.ts';

/** A run of the workflow `session`: a conversation, one turn at a time. */
export class SessionRun extends Run<SessionState, SessionResult> {
  /**
   * Takes one turn, and waits for its end. While the server is away, the request is sent again; it carries an id, so that
   * it makes one turn however often it arrives. Turns of several senders are taken in the order of arrival.
   *
   * @param turnId an id by which the same request, sent again from anywhere, is the same turn; a new one when absent
   * @param signal stops the waiting for the turn's end, which then throws; the turn goes on
   * @throws `WorkflowUpdateFailedError` where the turn failed, `WorkflowFailedError` where the session did with it;
   *   `RunNotOpenError` where the session has ended; `InputTooLargeError` before anything is sent
   */
  async send(text: string, turnId: string = randomUUID(), signal?: AbortSignal): Promise<TurnResult> {
    assertFits(text);
    return this.way.turn(text, turnId, signal);
  }

  /**
   * Sends a turn as `send` does, and waits only until the session has taken it.
   *
   * @param signal gives up sending it again
   */
  async begin(text: string, turnId: string, signal?: AbortSignal): Promise<void> {
    assertFits(text);
    await this.way.begin(text, turnId, signal);
  }

  /** Ends the turn under way with what there is; `send` then returns that. The session goes on. @throws `RunNotOpenError` */
  async stopTurn(): Promise<void> {
    await this.way.message('stopTurn');
  }

  /** Ends the session after the turns that were sent so far. @throws `RunNotOpenError` */
  async close(): Promise<void> {
    await this.way.message('close');
  }
}

/** @throws `InputTooLargeError` */
function assertFits(text: string): void {
  const problem = inputProblem({ text });
  if (problem !== undefined) throw new InputTooLargeError(problem);
}
