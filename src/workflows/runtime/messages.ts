import { setDefaultSignalHandler, setHandler, type WorkflowInterceptors } from '@temporalio/workflow';
import type { SignalDefinition, UpdateDefinition } from '@temporalio/common';
import { failureTypes } from '../../protocol/errors.ts';
import type { EventLog } from './event-log.ts';
import { makeReadable, valuesOf, type Job } from './jobs.ts';
import { perRun } from './per-run.ts';
import { descriptionOf, Updates, type UpdateHandler } from './updates.ts';

/** How many messages without effect are told of, for each kind. Further ones are counted. */
const maxReported = 10;

/** After how many signals a run says that there is a limit: Temporal takes 10,000 of them in one run. */
const manySignals = 5000;

/** From how many signals on those that would have no effect are dropped before the SDK spends time on them. */
const manyMessages = 200;

const own = perRun(() => ({
  /** Undefined until it begins. */
  present: undefined as Messages | undefined,
  /** How many signals were dropped before the run could tell. */
  droppedEarly: 0,
}));

/**
 * What people and programs send to a run. Each kind of message comes as a signal, which needs no worker and may be too
 * many, or as an update of the same name, which fails where it would have no effect, so that its sender is told. Behind
 * 10,000 useless signals the server refuses every other one, and the person whose answer the run waits for still reaches it
 * by an update.
 */
export class Messages {
  ignored = 0;
  readonly updates = new Updates();
  readonly #events: EventLog;
  readonly #reported = new Map<string, number>();
  readonly #refusals = new Map<string, (payload: never) => string | undefined>();
  #signals = 0;
  /** How many signals have come, those included that are not handled yet. */
  #seen = 0;
  #knowsAll = false;

  constructor(events: EventLog) {
    this.#events = events;
    own().present = this;
    for (let left = own().droppedEarly; left > 0; left--) this.#drop('early');
  }

  /** Whether a signal is dropped: many have come, and it would have no effect. */
  drops(name: string, payload: unknown): boolean {
    this.#seen += 1;
    if (this.#seen < manyMessages) return false;
    const refusal = this.#refusals.get(name);
    const isDropped = refusal === undefined ? this.#knowsAll : refusal(payload as never) !== undefined;
    if (isDropped) this.#drop(refusal === undefined ? 'unknown' : name);
    return isDropped;
  }

  on<Payload>(
    { name }: SignalDefinition<[Payload]> | SignalDefinition,
    { refusal, take }: Omit<UpdateHandler<Payload, void>, 'type'>,
  ): void {
    this.#refusals.set(name, refusal);
    const signal = { type: 'signal', name } as SignalDefinition<[Payload]>;
    setHandler(
      signal,
      (payload) => {
        this.#count();
        return take(payload);
      },
      { description: descriptionOf(name) },
    );
    const update = { type: 'update', name } as UpdateDefinition<void, [Payload]>;
    this.updates.on(update, { refusal, take, type: failureTypes.messageRefused });
  }

  /** Drops signals of unknown names, which the sandbox would keep in memory until the run's end. */
  dropUnknown(): void {
    this.#knowsAll = true;
    setDefaultSignalHandler((name) => {
      this.#count();
      this.ignore(
        'unknown',
        `The signal ${name.slice(0, 100)} is ignored: runs of this type have no signal of this name`,
      );
    });
  }

  /** Counts a message without effect, and tells of it unless many of its kind have come. */
  ignore(kind: string, text: string): void {
    if (this.tells(kind)) this.#events.emit({ type: 'warning', text });
  }

  /** Counts a message without effect. @returns whether it is to be told */
  tells(kind: string): boolean {
    this.ignored += 1;
    const count = (this.#reported.get(kind) ?? 0) + 1;
    this.#reported.set(kind, count);
    if (count === maxReported + 1) {
      const text = `More messages of this kind (${kind}) had no effect. From here on they are only counted: the query state has their number as ignored`;
      this.#events.emit({ type: 'warning', text });
    }
    return count <= maxReported;
  }

  #drop(kind: string): void {
    this.#count();
    this.ignore(kind, 'Signals without effect are dropped, since there are so many');
  }

  #count(): void {
    this.#signals += 1;
    if (this.#signals !== manySignals) return;
    const text =
      `This run has had ${manySignals} signals. Temporal takes 10,000 in one run and refuses all later ones; ` +
      'what is sent as an update of the same name still arrives, and so does what the command line sends';
    this.#events.emit({ type: 'warning', text });
  }
}

export const presentUpdates = (): Updates | undefined => own().present?.updates;

/** For workers that have no workflows but Reprise's, whose bundle has this module as an interceptor. */
export function interceptors(): WorkflowInterceptors {
  return {
    internals: [
      {
        activate({ activation, ...input }, next) {
          // The SDK takes the first job away if it begins the run, so that the array must stay the same.
          const jobs = activation.jobs ?? [];
          jobs.splice(0, jobs.length, ...sifted(jobs));
          next({ activation, ...input });
        },
      },
    ],
  };
}

/**
 * What is done of what has come for a run. A signal costs the SDK a millisecond, and 10,000 of them would keep a workflow task
 * longer than it may take: when many have come, those that would have no effect are dropped here.
 */
function sifted<J extends Job>(jobs: J[]): J[] {
  for (const job of jobs) makeReadable(job);
  const run = own();
  const signals = jobs.filter(({ signalWorkflow }) => signalWorkflow);
  const isDropped = ({ signalWorkflow }: J, index: number): boolean => {
    const { input, signalName } = signalWorkflow ?? {};
    if (run.present !== undefined) return run.present.drops(signalName ?? '', valuesOf(input)?.[0]);
    // Before the run has begun, nobody knows what has an effect: the first ones and the last ones are kept.
    const isKept = index < manyMessages / 2 || index >= signals.length - manyMessages / 2;
    if (!isKept) run.droppedEarly += 1;
    return !isKept;
  };
  const dropped = new Set(signals.filter(isDropped));
  return jobs.filter((job) => !dropped.has(job));
}
