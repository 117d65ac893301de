import { ApplicationFailure, setDefaultUpdateHandler, setHandler } from '@temporalio/workflow';
import type { UpdateDefinition } from '@temporalio/common';
import { descriptions } from '../../protocol/definitions.ts';
import { failureTypes } from '../../protocol/errors.ts';

/**
 * How much of what would have no effect is accepted. Temporal takes 2,000 updates in one run, and the characters several
 * times into its history.
 */
const mostUseless = 500;
const mostCharacters = 1_000_000;

/** The update that is always refused. */
const neverTaken = 'neverTaken';

export interface UpdateHandler<Payload, Result> {
  take: (payload: Payload) => Result | Promise<Result>;
  /** Why the update would have no effect at present; undefined if it would have one. It must change nothing. */
  refusal: (payload: Payload) => string | undefined;
  /** The type of the failure by which its sender is told. */
  type: string;
}

/**
 * The updates of a run. One that would have no effect is accepted all the same, and then fails: its sender is told the same,
 * and the history has it. The SDK would write nothing of one that its validator refuses, nor that its task has been, and a
 * replay, which overlooks the task, merges it into the next one: what has happened before gets that one's time, and signals
 * overtake what had ended before them.
 *
 * Only in a flood, when there have been hundreds of them, are further ones refused by their validators, so that there is
 * room for those that somebody waits for. A replay may then give some events another time; what a run does hangs on no time.
 */
export class Updates {
  #useless = 0;
  #characters = 0;
  readonly #names = new Set<string>();

  on<Result, Payload>(
    definition: UpdateDefinition<Result, [Payload]>,
    { refusal, take, type }: UpdateHandler<Payload, Result>,
  ): void {
    this.#names.add(definition.name);
    const handler = (payload: Payload): Result | Promise<Result> => {
      const why = refusal(payload);
      if (why === undefined) return take(payload);
      throw this.#failed(payload, why, type);
    };
    setHandler(definition as UpdateDefinition<unknown, [Payload]>, handler, {
      validator: (payload) => {
        const why = this.#hasRoomFor(charactersOf(payload)) ? undefined : refusal(payload);
        if (why !== undefined) throw ApplicationFailure.nonRetryable(why, type);
      },
      description: descriptionOf(definition.name),
    });
  }

  /** Has updates of all other names fail as well, which the SDK would refuse by itself. To be called behind all `on`. */
  failUnknown(): void {
    setHandler({ type: 'update', name: neverTaken } as UpdateDefinition<void>, () => {}, {
      validator: () => {
        throw ApplicationFailure.nonRetryable('there are too many updates without effect', failureTypes.messageRefused);
      },
      description: 'Is refused, as are updates of unknown names when there are too many.',
    });
    setDefaultUpdateHandler((name, ...payloads) => {
      const why = `No registered handler for update: ${name.slice(0, 100)}`;
      throw this.#failed(payloads, why, failureTypes.messageRefused);
    });
  }

  /** The name by which an update is to be handled: one of an unknown name is refused in a flood. */
  nameFor(name: string, size: number): string {
    return this.#names.has(name) || this.#hasRoomFor(size) ? name : neverTaken;
  }

  #hasRoomFor(size: number): boolean {
    return this.#useless < mostUseless && this.#characters + size <= mostCharacters;
  }

  #failed(payload: unknown, why: string, type: string): ApplicationFailure {
    this.#useless += 1;
    this.#characters += charactersOf(payload);
    return ApplicationFailure.nonRetryable(why, type);
  }
}

/** What Temporal's Web UI says of a message. */
export const descriptionOf = (name: string): string => descriptions[name as keyof typeof descriptions];

const charactersOf = (payload: unknown): number => (JSON.stringify(payload) ?? '').length;
