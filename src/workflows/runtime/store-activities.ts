import { type ActivityInterfaceFor, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../protocol/activities.ts';

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
