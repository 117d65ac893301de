import { hostname } from 'node:os';
import { Context, type Info } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory, defaultPayloadConverter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { failureTypes } from '../protocol/errors.ts';
import { storeHeader, type StoreRefusal } from '../protocol/headers.ts';
import type { Store } from '../store/store.ts';

/** In milliseconds. */
const minDelayMs = 500;
const maxDelayMs = 15_000;

interface Refused {
  /** Tries, from the first one on without a gap. */
  refused: number;
}

export function refusedTries({ heartbeatDetails }: Pick<Info, 'heartbeatDetails'>): number {
  return (heartbeatDetails as Partial<Refused> | undefined)?.refused ?? 0;
}

/**
 * What runs of another store would write here, the worker with the right store would not find, and pay for again.
 * @param place the store in words
 * @throws (from activities) `ApplicationFailure` of type `OtherStore` with a `StoreRefusal`, retryable
 */
export function storeGuard(store: Store, place: string): ActivityInterceptorsFactory {
  let known: string | undefined;
  const warned = new Set<string>();
  return () => ({
    inbound: {
      async execute(input, next) {
        const header = input.headers[storeHeader];
        if (header === undefined) return next(input);
        const wanted = defaultPayloadConverter.fromPayload<string>(header);
        known ??= await store.identity();
        if (wanted === known) return next(input);
        const failure = refusal(wanted, `${known} (${place})`);
        // Each further try is refused for the same reason.
        if (!warned.has(wanted)) Context.current().log.warn(failure.message);
        warned.add(wanted);
        throw failure;
      },
    },
  });
}

function refusal(wanted: string, own: string): ApplicationFailure {
  const { heartbeat, info } = Context.current();
  const mayHaveRun = info.attempt - 1 > refusedTries(info);
  if (!mayHaveRun) heartbeat({ refused: info.attempt } satisfies Refused);
  return ApplicationFailure.create({
    type: failureTypes.otherStore,
    message:
      `This run belongs to the store ${wanted}, and this worker on ${hostname()} has the store ${own}. The run waits for a ` +
      'worker with its store: start one with the DATABASE_URL that the run began with, or, where that was not set, with the ' +
      'same REPRISE_HOME, and end workers that are not meant to have another one',
    nextRetryDelay: Math.min(maxDelayMs, minDelayMs * 2 ** (info.attempt - 1)),
    category: ApplicationFailureCategory.BENIGN,
    details: [{ mayHaveRun } satisfies StoreRefusal],
  });
}
