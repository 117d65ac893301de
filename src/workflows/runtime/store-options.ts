/**
 * How activities are called that only read and write the store. They take milliseconds, so that one whose worker has died is
 * soon made again, without heartbeats; one that waits for a store out of order is made again until it works.
 */
export const storeOptions = {
  startToCloseTimeout: '15 seconds',
  retry: { initialInterval: '500 ms', maximumInterval: '10 seconds' },
} as const;

/** The same for those that may fail for another reason, and must not keep a run waiting for ever. */
export const openingOptions = { ...storeOptions, retry: { ...storeOptions.retry, maximumAttempts: 20 } } as const;

/** The same for those that read whole trees of files. */
export const treeOptions = { ...openingOptions, startToCloseTimeout: '1 minute' } as const;
