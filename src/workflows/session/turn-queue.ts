import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  currentUpdateInfo,
  workflowInfo,
} from '@temporalio/workflow';
import { closeSignal, handleTextUpdate, stopTurnSignal } from '../../protocol/definitions.ts';
import { failureTypes } from '../../protocol/errors.ts';
import type { TurnResult } from '../../protocol/session.ts';
import { quoted } from '../runtime/message-problems.ts';
import type { Messages } from '../runtime/messages.ts';

/** Has a turn taken by a function, and gives its result, or its failure, to the caller of the update. */
type QueuedTurn = (take: (text: string, id?: string) => Promise<TurnResult>) => Promise<void>;

/** The turns that come by the update `handleText`, in the order of arrival. */
export class TurnQueue {
  readonly #turns: QueuedTurn[] = [];
  #isClosed = false;
  /** Whether the session takes but the turn of its input. */
  #isSingle = false;
  #turn: CancellationScope | undefined;

  constructor(messages: Messages) {
    messages.updates.on(handleTextUpdate, {
      take: (text) => {
        const id = currentUpdateInfo()?.id;
        const { promise, reject, resolve } = Promise.withResolvers<TurnResult>();
        this.#turns.push((take) => {
          // A turn that fails rejects its update; the session goes on without it.
          const failed = (error: unknown): void => {
            if (!(error instanceof ApplicationFailure)) throw error;
            reject(error);
          };
          return take(text, id).then(resolve, failed);
        });
        return promise;
      },
      refusal: (text) => (this.#isSingle ? singleTurn : problemOf(text)),
      type: failureTypes.invalidInput,
    });
    messages.on(closeSignal, {
      take: () => {
        this.#isClosed = true;
      },
      refusal: () => (this.#isClosed ? 'the session is closing already' : undefined),
    });
    messages.on(stopTurnSignal, {
      take: () => {
        if (this.#turn === undefined) messages.ignore('stopTurn', `stopTurn is ignored: ${noTurn}`);
        this.#turn?.cancel();
      },
      refusal: () => (this.#turn === undefined ? noTurn : undefined),
    });
  }

  /**
   * Waits for the next turn.
   *
   * @param idle milliseconds without a turn after which the session counts as closed; undefined for no limit
   * @returns `full` when the history has grown so long that the session should continue as a new run
   */
  async next(idle: number | undefined): Promise<QueuedTurn | 'closed' | 'full'> {
    for (;;) {
      const isWanted = (): boolean => this.#turns.length > 0 || this.#isClosed || workflowInfo().continueAsNewSuggested;
      if (idle === undefined) await condition(isWanted);
      else if (!(await condition(isWanted, idle))) this.#isClosed = true;
      const turn = this.#turns.shift();
      if (turn !== undefined) return turn;
      if (this.#isClosed) return 'closed';
      await condition(allHandlersFinished);
      if (this.#turns.length === 0 && !this.#isClosed) return 'full';
    }
  }

  /** Takes the only turn of a session. Any other is refused. */
  async single<T>(take: () => Promise<T>): Promise<T> {
    this.#isSingle = true;
    this.refuse(singleTurn);
    return this.stoppable(take);
  }

  /** Takes a turn so that a person can stop it. */
  async stoppable<T>(take: () => Promise<T>): Promise<T> {
    this.#turn = new CancellationScope();
    try {
      return await this.#turn.run(take);
    } finally {
      this.#turn = undefined;
    }
  }

  /** Refuses the turns that have come and were not begun. @param why for whoever sent them */
  refuse(why: string): void {
    const refusal = ApplicationFailure.nonRetryable(why, failureTypes.turnFailed);
    for (const turn of this.#turns.splice(0)) void turn(() => Promise.reject(refusal));
  }
}

const noTurn = 'no turn is under way';
const singleTurn = 'the session takes the one turn of its text';

const problemOf = (text: unknown): string | undefined =>
  typeof text === 'string' && text.trim() !== ''
    ? undefined
    : `handleText takes a text that is not empty, and not ${quoted(text)}`;
