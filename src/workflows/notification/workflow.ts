import { ApplicationFailure, proxyActivities, rootCause } from '@temporalio/workflow';
import type { Activities } from '../../protocol/activities.ts';
import { failureTypes } from '../../protocol/errors.ts';
import type { NotificationInput } from '../../protocol/notify.ts';
import { belongTo } from '../runtime/own-store.ts';

/**
 * Tells everybody of one event of the run that has started it. Who cannot be reached is tried again for a day.
 *
 * @throws `ApplicationFailure` of type `NotDelivered` with those who were not told, and why
 */
export async function notification({ entries, notification, store }: NotificationInput): Promise<void> {
  belongTo(store);
  const { sendWebhook } = proxyActivities<Activities>({
    summary: `${notification.type} of ${notification.data.workflowId}`,
    startToCloseTimeout: '20 seconds',
    scheduleToCloseTimeout: '1 day',
    retry: { initialInterval: '1 second', maximumInterval: '10 minutes' },
  });
  const sent = await Promise.allSettled(entries.map((entry) => sendWebhook(entry, notification)));
  const failed = sent.flatMap((each) => (each.status === 'rejected' ? [rootCause(each.reason)] : []));
  if (failed.length > 0) throw ApplicationFailure.nonRetryable(failed.join('; '), failureTypes.notDelivered);
}
