import {
  type ActivityInput,
  type ActivityInterfaceFor,
  defaultPayloadConverter,
  proxyActivities,
  scheduleActivity,
  sleep,
  type WorkflowInterceptors,
} from '@temporalio/workflow';
import { failureTypes } from '../../protocol/errors.ts';
import { storeHeader, type StoreRefusal } from '../../protocol/headers.ts';
import { activityFailure } from '../agent/failures.ts';
import { perRun } from './per-run.ts';
import type { Activities } from '../../protocol/activities.ts';

const own = perRun(() => ({
  /** The id of the store that the run belongs to; undefined until it is prepared. */
  store: undefined as string | undefined,
  /** How often workers with another store have refused an activity for good, by its id. */
  refused: new Map<string, number>(),
}));

/** The first wait before an activity that was refused is scheduled again, and the longest one, in milliseconds. */
const minDelayMs = 2000;
const maxDelayMs = 300_000;

export function belongTo(id: string): void {
  own().store = id;
}

/**
 * Temporal calls this for each workflow, since the worker bundles the module as an interceptor. Activities carry the id of
 * the run's store, by which a worker with another store refuses them. Temporal tries a refused activity again, on whichever
 * worker takes it; where its tries are used up by refusals, it is scheduled again, under the same id.
 */
export function interceptors(): WorkflowInterceptors {
  return {
    outbound: [
      {
        scheduleActivity(input, next) {
          const { store } = own();
          if (store === undefined) return next(input);
          return next(marked(input, store)).catch((error: unknown) => again(input, error));
        },
      },
    ],
  };
}

const marked = (input: ActivityInput, id: string): ActivityInput => ({
  ...input,
  headers: { ...input.headers, [storeHeader]: defaultPayloadConverter.toPayload(id) },
});

async function again({ activityType, args, options, seq }: ActivityInput, error: unknown): Promise<unknown> {
  const refusal = refusalIn(error);
  // A tool that may have taken effect is the agent's to judge.
  if (refusal === undefined || (refusal.mayHaveRun && activityType === 'callTool')) throw error;
  const activityId = options.activityId ?? String(seq);
  const { refused } = own();
  const times = refused.get(activityId) ?? 0;
  refused.set(activityId, times + 1);
  await sleep(Math.min(maxDelayMs, minDelayMs * 2 ** times));
  return scheduleActivity(activityType, args, { ...options, activityId });
}

function refusalIn(error: unknown): StoreRefusal | undefined {
  const failure = activityFailure(error, failureTypes.otherStore);
  return failure && ((failure.details?.[0] ?? { mayHaveRun: true }) as StoreRefusal);
}

/**
 * For activities that only read and write the store. They take milliseconds, so that one whose worker has died is soon made
 * again; one that waits for a store out of order is made again until it works.
 */
const storeOptions = {
  startToCloseTimeout: '15 seconds',
  retry: { initialInterval: '500 ms', maximumInterval: '10 seconds' },
} as const;

export const inStore = proxyActivities<Activities>(storeOptions);

/** The same for those that may fail for another reason, and must not keep a run waiting for ever. */
const openingOptions = { ...storeOptions, retry: { ...storeOptions.retry, maximumAttempts: 20 } } as const;

export const atOpening = proxyActivities<Activities>(openingOptions);

/** The same for those that read whole trees of files. */
export const ofTrees = proxyActivities<Activities>({ ...openingOptions, startToCloseTimeout: '1 minute' });

/** Those that copy folders of the machine. @param summary what the Web UI says of them */
export const ofFolders = (summary: string): ActivityInterfaceFor<Activities> =>
  proxyActivities<Activities>({
    summary,
    startToCloseTimeout: '30 minutes',
    heartbeatTimeout: '15 seconds',
    retry: { initialInterval: '500 ms', maximumAttempts: 5 },
  });
